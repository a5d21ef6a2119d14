package dev.sluice.engine.choice;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/** How fast compiled rules are looked up where they are to serve. */
interface RateMeter {
    /**
     * Measures images of one rule set on headers made from it.
     *
     * @return M headers a second of each, 0 for one that cannot be looked up there
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device fails
     */
    double[] rates(RuleSet rules, List<Classifier> classifiers);

    /** A rate in the unit that is told to people. */
    String text(double rate);
}
