"""Problems with known answers for `./dev bench validation`."""
