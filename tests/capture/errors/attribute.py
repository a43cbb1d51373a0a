class Model:
    def forward(self):
        return 1
m = Model()
m.foward()
