package dev.sluice.engine.choice;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fastest of some algorithms for rules by measuring: of many rules a part is tried first,
 * and what is slower on it than another one on all rules is not compiled for them. Not thread-safe.
 *
 * @param part a part of the rules, null where there is none
 * @param mostBuilds builds for all rules at most, those of before not counted; where there is no
 *     part the rules are few, and it does not count
 * @param mostBehind so many times as slow on the part as the best of those that keep their rate on
 *     all rules a candidate may be
 * @param budgetBytes largest image that is chosen
 */
record Calibration(
        Attempts whole,
        @Nullable Attempts part,
        RateMeter meter,
        int mostBuilds,
        double mostBehind,
        long budgetBytes) {
    /**
     * Error of a rate on a part, as a factor: a candidate is left out only if another one is faster
     * on all rules by more than that.
     */
    private static final double DOUBT = 1.2;

    /**
     * Smallest share of its rate on the part that a candidate must keep to say something of others:
     * of 34 policies the best ones kept a fifth to all.
     */
    private static final double KEPT = 0.2;

    /**
     * Outcome of a calibration.
     *
     * @param fastest null if none serves the rules, or none is worth it
     * @param rate M headers a second, 0 if there is none
     * @param measured a phrase for each that was measured, with its rate
     */
    record Outcome(@Nullable Classifier fastest, double rate, List<String> measured) {}

    /**
     * A candidate and a rate that it will hardly pass.
     *
     * @param rate M headers a second
     */
    private record Promise(Algorithm algorithm, double rate) {}

    /**
     * The fastest of some algorithms.
     *
     * @param known M headers a second that are there without them: what is slower on a part is not
     *     compiled for all rules
     */
    Outcome fastest(List<Algorithm> candidates, double known) {
        List<Classifier> compiled = new ArrayList<>();
        List<Algorithm> others = new ArrayList<>();
        for (Algorithm candidate : candidates) {
            if (whole.made(candidate)) {
                compile(candidate, compiled);
            } else {
                others.add(candidate);
            }
        }
        double fastest = known;
        for (double rate : rates(whole, compiled)) {
            fastest = Math.max(fastest, rate);
        }
        List<String> left = new ArrayList<>();
        int builds = 0;
        double most = 0;
        for (Promise promise : promises(others)) {
            boolean behind = DOUBT * promise.rate < fastest || mostBehind * promise.rate < most;
            if (behind || part != null && builds == mostBuilds) {
                if (promise.rate < Double.MAX_VALUE) {
                    left.add(rated(promise.algorithm, promise.rate) + " on a part");
                }
                continue;
            }
            builds++;
            Classifier classifier = compile(promise.algorithm, compiled);
            if (classifier != null) {
                double rate = rates(whole, List.of(classifier))[0];
                fastest = Math.max(fastest, rate);
                if (rate >= KEPT * promise.rate) {
                    most = Math.max(most, promise.rate);
                }
            }
        }
        return best(compiled, left);
    }

    private @Nullable Classifier compile(Algorithm algorithm, List<Classifier> compiled) {
        Classifier classifier = whole.by(algorithm, budgetBytes);
        if (classifier != null && classifier.image().bytes() <= budgetBytes) {
            compiled.add(classifier);
            return classifier;
        }
        return null;
    }

    /** The fastest of all that were compiled, measured beside one another. */
    private Outcome best(List<Classifier> compiled, List<String> left) {
        double[] rates = rates(whole, compiled);
        int best = -1;
        List<String> measured = new ArrayList<>();
        for (int c = 0; c < rates.length; c++) {
            if (rates[c] > 0) {
                best = best < 0 || rates[c] > rates[best] ? c : best;
                measured.add(rated(algorithm(compiled.get(c)), rates[c]));
            }
        }
        measured.addAll(left);
        return best < 0
                ? new Outcome(null, 0, measured)
                : new Outcome(compiled.get(best), rates[best], measured);
    }

    private double[] rates(Attempts of, List<Classifier> classifiers) {
        return classifiers.isEmpty() ? new double[0] : meter.rates(of.rules(), classifiers);
    }

    /**
     * Promises of the candidates, best first: the rate that they reach on a part of many rules,
     * because none is faster on all of them. One that refuses the part may serve all rules, since
     * limits are by the number of rules: it comes last, with no bound.
     */
    private List<Promise> promises(List<Algorithm> candidates) {
        List<Promise> promises = new ArrayList<>();
        Attempts some = part;
        if (some == null) {
            candidates.forEach(c -> promises.add(new Promise(c, Double.MAX_VALUE)));
            return promises;
        }
        List<Classifier> compiled = new ArrayList<>();
        List<Promise> unknown = new ArrayList<>();
        for (Algorithm algorithm : candidates) {
            Classifier classifier = some.by(algorithm, budgetBytes);
            if (classifier != null) {
                compiled.add(classifier);
            } else {
                unknown.add(new Promise(algorithm, Double.MAX_VALUE));
            }
        }
        double[] rates = rates(some, compiled);
        for (int c = 0; c < rates.length; c++) {
            if (rates[c] > 0) {
                promises.add(new Promise(algorithm(compiled.get(c)), rates[c]));
            }
        }
        promises.sort(Comparator.comparingDouble(Promise::rate).reversed());
        promises.addAll(unknown);
        return promises;
    }

    private static Algorithm algorithm(Classifier classifier) {
        return Algorithm.ofCode(classifier.image().algorithm());
    }

    private String rated(Algorithm algorithm, double rate) {
        return algorithm.label() + " " + meter.text(rate);
    }
}
