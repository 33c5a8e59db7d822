"""The peer of Offpeak's plans for a day: the same day as EMHASS plans it, with the load or the battery that it has.

    .venv-bench/bin/python3 scripts/bench-peers/emhass_plan.py PROBLEM

Prints the cost of its plan, the seconds of its optimisation alone (model and solver, without reading, forecasts and
configuration), and those of the solver in it. The gap it may leave is set to nothing.
"""

import csv
import json
import logging
import pathlib
import sys
import time

import emhass
import numpy as np
import pandas as pd
from emhass.optimization import Optimization

with open(sys.argv[1], encoding="utf-8") as file:
    problem = json.load(file)

# Its own defaults, each in the section where it looks for it.
data = pathlib.Path(emhass.__file__).parent / "data"
with open(data / "config_defaults.json", encoding="utf-8") as file:
    defaults = json.load(file)
sections = {"retrieve_hass_conf": {}, "optim_conf": {}, "plant_conf": {}}
with open(data / "associations.csv", encoding="utf-8") as file:
    for row in csv.reader(file):
        if row[0] in sections and row[2] in defaults:
            sections[row[0]][row[2]] = defaults[row[2]]

slots = problem["slots"]
step = pd.Timedelta(seconds=slots[0]["end"] - slots[0]["start"])
hours = step.total_seconds() / 3600
hass, optim, plant = sections["retrieve_hass_conf"], sections["optim_conf"], sections["plant_conf"]
hass["optimization_time_step"] = step
hass["time_zone"] = "UTC"
optim.update(
    delta_forecast_daily=pd.Timedelta(days=1), num_threads=0, lp_solver="HIGHS", lp_solver_mip_rel_gap=0.0,
    number_of_deferrable_loads=0, nominal_power_of_deferrable_loads=[], minimum_power_of_deferrable_loads=[],
    operating_hours_of_each_deferrable_load=[], start_timesteps_of_each_deferrable_load=[],
    end_timesteps_of_each_deferrable_load=[], treat_deferrable_load_as_semi_cont=[],
    set_deferrable_load_single_constant=[], set_deferrable_startup_penalty=[], deferrable_load_max_cost=[],
    set_deferrable_max_startups=[], cost_forecast_per_deferrable_load=[], set_use_battery=False,
    operating_timesteps_of_each_deferrable_load=[], def_current_state=[])
plant.update(
    maximum_power_from_grid=problem["importLimitKW"] * 1000, maximum_power_to_grid=100_000, inverter_is_hybrid=False)
battery, load = problem.get("battery"), problem.get("load")
if load:
    optim.update(
        number_of_deferrable_loads=1, nominal_power_of_deferrable_loads=[load["powerKW"] * 1000],
        minimum_power_of_deferrable_loads=[0.0], operating_hours_of_each_deferrable_load=[load["steps"] * hours],
        operating_timesteps_of_each_deferrable_load=[load["steps"]], start_timesteps_of_each_deferrable_load=[0],
        end_timesteps_of_each_deferrable_load=[0], treat_deferrable_load_as_semi_cont=[True],
        set_deferrable_load_single_constant=[False], set_deferrable_startup_penalty=[0.0],
        deferrable_load_max_cost=[0.0], set_deferrable_max_startups=[0], cost_forecast_per_deferrable_load=[None],
        def_current_state=[False])
if battery:
    optim.update(
        set_use_battery=True, set_battery_dynamic=False, set_nocharge_from_grid=False, set_nodischarge_to_grid=False,
        weight_battery_charge=0.0, weight_battery_discharge=0.0)
    plant.update(
        battery_nominal_energy_capacity=battery["capacityKWh"] * 1000,
        battery_charge_power_max=battery["powerKW"] * 1000, battery_discharge_power_max=battery["powerKW"] * 1000,
        battery_charge_efficiency=battery["efficiency"], battery_discharge_efficiency=battery["efficiency"],
        battery_minimum_state_of_charge=battery["minKWh"] / battery["capacityKWh"],
        battery_maximum_state_of_charge=1.0)

index = pd.date_range(pd.Timestamp(slots[0]["start"], unit="s", tz="UTC"), periods=len(slots), freq=step)
frame = pd.DataFrame(
    {
        "unit_load_cost": [slot["importPrice"] for slot in slots],
        "unit_prod_price": [slot["exportPrice"] for slot in slots],
    }, index=index)
sun = pd.Series([slot["pvKW"] * 1000 for slot in slots], index=index)
house = pd.Series([slot["baseLoadKW"] * 1000 for slot in slots], index=index)

log = logging.getLogger("emhass")
log.setLevel(logging.ERROR)
times, costs, solver = [], [], []
for _ in range(5):
    optimization = Optimization(
        hass, optim, plant, "unit_load_cost", "unit_prod_price", "cost",
        {"data_path": data, "root_path": data.parent}, log, num_timesteps=len(slots))
    stages = {}
    state = battery["initialKWh"] / battery["capacityKWh"] if battery else None
    began = time.perf_counter()
    plan = optimization.perform_dayahead_forecast_optim(
        frame, sun, house, soc_init=state, soc_final=state, stage_times=stages)
    times.append(time.perf_counter() - began)
    solver.append(sum(value for name, value in stages.items() if name.endswith(".solve")))
    grid = plan["P_grid"].to_numpy() if "P_grid" in plan else (plan["P_grid_pos"] + plan["P_grid_neg"]).to_numpy()
    money = np.where(grid > 0, frame["unit_load_cost"], frame["unit_prod_price"])
    costs.append(float((grid / 1000 * money * hours).sum()))
middle = sorted(range(5), key=lambda place: times[place])[2]
print(f"cost {costs[middle]:.9f} seconds {times[middle]:.6f} solver {solver[middle]:.6f}")
