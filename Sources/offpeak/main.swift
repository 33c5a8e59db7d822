print("offpeak")
