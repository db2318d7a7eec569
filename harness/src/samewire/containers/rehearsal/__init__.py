"""How containers are tried where no engine runs and no registry can be reached: an own engine and stand-ins."""
