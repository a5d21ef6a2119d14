package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.VersionLookUp;

/**
 * Modes in which batches go to a device. A kernel that stays looks into the image alone, and a
 * launch is of one version alone, so that batches of versions with changes take a launch each.
 *
 * @param plain the chosen mode
 * @param alone the chosen mode with a launch for one batch
 * @param changed the mode of versions with changes
 */
record OffloadModes(OffloadMode plain, OffloadMode alone, OffloadMode changed) {
    static OffloadModes of(OffloadMode chosen) {
        return new OffloadModes(chosen, chosen.alone(), chosen.launched().alone());
    }

    /** A launch for one batch, whatever is chosen. */
    OffloadMode alone(VersionLookUp version) {
        return version.changed() ? changed : alone;
    }

    OffloadMode of(VersionLookUp version) {
        return version.changed() ? changed : plain;
    }
}
