extension ElectricVehicleLoadEvent.ElectricalMeasurement {
    /// The state of charge of a car that nothing can read.
    ///
    /// An addition to Apple's surface, whose number has no room for "unknown". JSON leaves the member out.
    public static var unknownStateOfCharge: Int { .min }
}
