// Code written for Apple imports only EnergyKit and expects `UUID`, `Date`, `Measurement` and `@Observable` with it.
@_exported public import Foundation
@_exported public import Observation
