/// Every source that can be read, by name.
package enum PayloadDecoders {
    /// All decoders, by kind.
    package static let all: [any PayloadDecoder] = [
        NordPoolDecoder(), EntsoeDecoder(), EleringDecoder(), EnerginetDecoder(), EnergyChartsDecoder(),
        AwattarDecoder(), TibberDecoder(), OctopusDecoder(), EnergyZeroDecoder(), EasyEnergyDecoder(), EsiosDecoder(),
        OmieDecoder(), RTEDecoder(), AmberDecoder(), OpenElectricityDecoder(), ComEdDecoder(),
        UKCarbonDecoder(), ElectricityMapsDecoder(), WattTimeDecoder(), GruenstromDecoder(),
        ForecastSolarDecoder(), SolcastDecoder(), OpenMeteoDecoder(), CommonFormDecoder(),
    ]

    /// The decoder of a name, in any case of letters.
    ///
    /// - Throws: `PayloadError` that lists the names when there is none.
    package static func named(_ name: String) throws(PayloadError) -> any PayloadDecoder {
        let wanted = name.lowercased()
        if let found = all.first(where: { $0.name == wanted || $0.aliases.contains(wanted) }) { return found }
        throw PayloadError(
            .argumentNeeded, "there is no source '\(name)'",
            remedy: "give one of " + all.map(\.name).sorted().joined(separator: ", "))
    }
}
