// Tests of WebAPI.
