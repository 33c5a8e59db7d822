import Foundation
import YearSimulation

exit(await Simulation.run(Array(CommandLine.arguments.dropFirst())))
