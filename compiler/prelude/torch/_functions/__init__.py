"""Functions of torch that are made of others, by topic. No script imports these modules: a name that torch or a tensor lacks is
looked up here."""
