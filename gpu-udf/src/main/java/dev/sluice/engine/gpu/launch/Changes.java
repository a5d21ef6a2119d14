package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * What a launch looks up behind its image's kernel: what changed up to a version.
 *
 * @param copy where it lies; has the words of the tick
 * @param layout of the headers
 * @param tick of the version
 * @param directory where the version's tables are named
 * @param baseRules rules of the image: verdicts from there on name rules that came since
 */
public record Changes(
        DeviceChanges.Copy copy, HeaderLayout layout, int tick, int directory, int baseRules) {}
