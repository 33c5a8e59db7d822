/// Every provider that the hub can ask, by name.
package enum SourceProviders {
    /// All of them: prices, carbon, solar, then what is in the house or has no name.
    package static let all: [any SourceProvider] = [
        NordPoolProvider(), EntsoeProvider(), EleringProvider(), EnerginetProvider(), EnergyChartsProvider(),
        AwattarProvider(), TibberProvider(), OctopusProvider(), EnergyZeroProvider(), EasyEnergyProvider(),
        EsiosProvider(), OmieProvider(), RTEProvider(), AmberProvider(), OpenElectricityProvider(), ComEdProvider(),
        UKCarbonProvider(), ElectricityMapsProvider(), WattTimeProvider(), GruenstromProvider(),
        ForecastSolarProvider(), SolcastProvider(), OpenMeteoProvider(), HomeAssistantProvider(), URLProvider(),
    ]

    /// The provider of a name or of another name of its decoder, in any case of letters; nil when there is none.
    package static func named(_ name: String) -> (any SourceProvider)? {
        let wanted = name.lowercased()
        return all.first { $0.name == wanted || $0.decoder.aliases.contains(wanted) }
    }
}
