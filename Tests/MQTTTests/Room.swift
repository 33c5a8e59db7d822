// Tests of MQTT.
