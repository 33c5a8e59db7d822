"""The peer of Offpeak's common plans: the same problem as a mixed-integer program, solved by HiGHS.

    .venv-bench/bin/python3 scripts/bench-peers/highs_plan.py PROBLEM

Prints the cost and the seconds that HiGHS itself took, with its own tolerances and as many threads as it likes.
"""

import json
import sys
import time

import highspy

with open(sys.argv[1], encoding="utf-8") as file:
    problem = json.load(file)

model = highspy.Highs()
model.setOptionValue("output_flag", False)
balance = []
for slot in problem["slots"]:
    hours = (slot["end"] - slot["start"]) / 3600
    drawn = model.addVariable(0, problem["importLimitKW"], hours * slot["importPrice"])
    fed = model.addVariable(0, highspy.kHighsInf, -hours * slot["exportPrice"])
    balance.append(drawn - fed)
for vehicle in problem["vehicles"]:
    energy = None
    for index, slot in enumerate(problem["slots"]):
        if slot["start"] < vehicle["arrival"] or slot["end"] > vehicle["departure"]:
            continue
        hours = (slot["end"] - slot["start"]) / 3600
        power = model.addVariable(0, vehicle["high"])
        is_on = model.addBinary()
        model.addConstr(power <= vehicle["high"] * is_on)
        model.addConstr(power >= vehicle["low"] * is_on)
        balance[index] = balance[index] - power
        part = hours * vehicle["efficiency"] * power
        energy = part if energy is None else energy + part
    model.addConstr(energy == vehicle["energyKWh"])
for index, slot in enumerate(problem["slots"]):
    model.addConstr(balance[index] == slot["netKW"])

began = time.perf_counter()
model.run()
took = time.perf_counter() - began
print(f"cost {model.getInfo().objective_function_value:.9f} seconds {took:.6f}")
