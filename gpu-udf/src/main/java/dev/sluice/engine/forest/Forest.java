package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;

/**
 * A forest, and what the build of a later one needs in order to copy parts of it. Immutable.
 *
 * @param rules the rules it was built from
 * @param changed rules that came and went since a forest was last built without a predecessor
 */
record Forest(Image image, RuleSet rules, long changed) {}
