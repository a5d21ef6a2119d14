package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.NumberedLists;

/**
 * The rules of classes as ascending lists. A list takes 4 bytes a rule, so it is much smaller than
 * a bit for each rule of the set where it names few of them. Not thread-safe.
 */
final class RuleLists extends NumberedLists implements ClassRules {
    /** No lists yet; those that come count as held. */
    RuleLists(BuildMeter meter) {
        super(meter);
    }
}
