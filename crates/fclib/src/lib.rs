//! Frictional contact problems in FCLib's HDF5 layout.
