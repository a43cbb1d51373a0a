# as_strided names places by itself, and must stay inside of the storage.
import torch
for a in [((2,3),(3,1)),((4,),(1,)),((2,2),(2,1)),((0,5),(1,1)),((3,),(0,)),((2,),(5,))]:
    try: print(torch.zeros(3).as_strided(*a).shape)
    except RuntimeError as e: print(e)
try: torch.zeros(3, dtype=torch.float64).as_strided((2,),(1,),2)
except RuntimeError as e: print(e)
x=torch.arange(10.)[2:5]
print(x.as_strided((2,2),(4,1)), x.as_strided((2,),(1,),8))
try: x.as_strided((2,),(1,),9)
except RuntimeError as e: print(e)
e=torch.zeros(1).expand(5)
try: print(e.as_strided((2,),(1,)))
except RuntimeError as e: print(e)
