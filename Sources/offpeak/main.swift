import Foundation
import Hub

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
