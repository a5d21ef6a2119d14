package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses an algorithm for a rule set, by the first of these that applies: linear for a few dozen
 * rules; one that is compiled quickly where many updates are expected; RFC, where its tables stay
 * near a core's caches, unless rules name MAC addresses; else the fastest of some candidates in a
 * short calibration on headers made from the rules. Of many rules a part is tried first: a
 * candidate that is slower on it than another one on all rules is not compiled for them. An
 * algorithm that refuses the rules or passes the budget is passed over. Not thread-safe.
 */
final class AutoChoice {
    /** Updates a second from which on new bases come so often that they had better be quick. */
    private static final double MANY_UPDATES = 1000;

    /** Up to so many rules the vector loop over all of them beats every structure. */
    private static final int LINEAR_UP_TO = 24;

    /** RFC is tried up to so many rules, and taken if its tables stay near a core's caches. */
    private static final int RFC_UP_TO = 12_000;

    /** The same over wide headers, where many chunks combine: tables that do not fit take long. */
    private static final int RFC_ON_WIDE_UP_TO = 1_000;

    private static final int WIDE_WORDS = 8;

    private static final long RFC_BYTES = 20L << 20;

    /** RFC's classes may take more while they are made: tables that shrink later. */
    private static final long RFC_BUILD_BYTES = 96L << 20;

    /** A forest is built up to so many rules; on MAC addresses it takes longer. */
    private static final int FOREST_UP_TO = 1_500_000;

    private static final int FOREST_WITH_MACS_UP_TO = 2_000;

    /** Over so many masks, tables by mask take long to fill and to search. */
    private static final int MASKS_UP_TO = 2_000;

    /** Rules at least of the part that candidates are tried on first. */
    private static final int PART = 4096;

    private static final int SAMPLE = 4096;
    private static final long WARM_UP_NANOS = 150_000_000L;
    private static final long ROUND_NANOS = 8_000_000L;
    private static final int ROUNDS = 5;

    private static final Algorithm LINEAR = Algorithm.of("linear");
    private static final Algorithm TUPLE = Algorithm.of("tuple");
    private static final Algorithm MERGED_TUPLE = Algorithm.of("merged-tuple");
    private static final Algorithm RFC = Algorithm.of("rfc");
    private static final Algorithm HASH_TREE = Algorithm.of("hash-tree");
    private static final Algorithm FOREST = Algorithm.of("forest");
    private static final Algorithm PAIRS = Algorithm.of("pairs");

    private final RuleSet rules;
    private final EngineOptions options;
    private final Set<String> refusals = new LinkedHashSet<>();

    /** Of the refusals for want of memory the one that asked for least, and whose it is. */
    private @Nullable MemoryBudgetException smallest;

    private @Nullable Algorithm smallestOf;

    AutoChoice(RuleSet rules, EngineOptions options) {
        this.rules = rules;
        this.options = options;
    }

    Compiled choose() {
        int n = rules.size();
        if (n <= LINEAR_UP_TO) {
            Classifier linear = attempt(LINEAR);
            if (linear != null) {
                return new Compiled(linear, "linear: a vector loop is best for " + n + " rules");
            }
        }
        if (options.updatesPerSecond() >= MANY_UPDATES) {
            Classifier changing = attempt(MERGED_TUPLE);
            if (changing != null) {
                return new Compiled(
                        changing,
                        MERGED_TUPLE.label() + ": rules change often, and it is compiled quickly");
            }
        }
        boolean macs = rules.layout().position(HeaderWord.MAC_HIGH) >= 0;
        boolean wide = rules.layout().size() >= WIDE_WORDS;
        if (!macs && n <= (wide ? RFC_ON_WIDE_UP_TO : RFC_UP_TO)) {
            Classifier rfc = attempt(RFC, rules, budget(RFC, options));
            if (rfc != null && rfc.bytes() <= RFC_BYTES) {
                return new Compiled(
                        rfc,
                        "rfc: its tables take %,d bytes, near a core's caches"
                                .formatted(rfc.bytes()));
            }
            if (rfc != null) {
                refusals.add("rfc's tables are far from a core's caches");
            }
        }
        return calibrate(candidates(n, macs));
    }

    /** Bytes that an algorithm's image may take to be chosen. */
    static long budget(Algorithm algorithm, EngineOptions options) {
        return algorithm.equals(RFC)
                ? Math.min(options.budgetBytes(), RFC_BUILD_BYTES)
                : options.budgetBytes();
    }

    private List<Algorithm> candidates(int n, boolean macs) {
        List<Algorithm> candidates = new ArrayList<>();
        if (!macs) {
            candidates.add(PAIRS);
        }
        boolean fewMasks = rules.countMasks() <= MASKS_UP_TO;
        if (fewMasks) {
            candidates.add(MERGED_TUPLE);
        }
        if (macs) {
            candidates.add(HASH_TREE);
        }
        if (n <= (macs ? FOREST_WITH_MACS_UP_TO : FOREST_UP_TO)) {
            candidates.add(FOREST);
        }
        return candidates;
    }

    private @Nullable Classifier attempt(Algorithm algorithm) {
        return attempt(algorithm, rules, options.budgetBytes());
    }

    private @Nullable Classifier attempt(Algorithm algorithm, RuleSet of, long budgetBytes) {
        try {
            return new Compiler(options.withAlgorithm(algorithm).withBudget(budgetBytes))
                    .compile(of);
        } catch (UnsupportedRulesException e) {
            refusals.add(algorithm.label() + " cannot serve these rules");
        } catch (MemoryBudgetException e) {
            refusals.add(algorithm.label() + " needs too much memory");
            boolean whole =
                    of.size() == rules.size()
                            && e.budgetBytes() >= HeapBudget.within(options.budgetBytes());
            if (whole && (smallest == null || e.neededBytes() < smallest.neededBytes())) {
                smallest = e;
                smallestOf = algorithm;
            }
        }
        return null;
    }

    private MemoryBudgetException nothingFits() {
        MemoryBudgetException least = Objects.requireNonNull(smallest, "tuple serves all rules");
        return MemoryBudgetException.ofAll(
                Objects.requireNonNull(smallestOf).label(),
                least.neededBytes(),
                least.budgetBytes());
    }

    private String because() {
        return refusals.isEmpty() ? "" : " (" + String.join(", ", refusals) + ")";
    }

    private Compiled calibrate(List<Algorithm> candidates) {
        HeaderBatch sample = headers(rules);
        List<Classifier> compiled = new ArrayList<>();
        List<String> left = new ArrayList<>();
        double fastest = 0;
        for (Promise promise : promises(candidates)) {
            if (promise.rate < fastest) {
                left.add(rated(promise.algorithm, promise.rate) + " on a part");
                continue;
            }
            Classifier classifier = attempt(promise.algorithm);
            if (classifier != null) {
                compiled.add(classifier);
                fastest = Math.max(fastest, rates(List.of(classifier), sample)[0]);
            }
        }
        if (compiled.isEmpty()) {
            // Tuple search is the smallest of all, and serves all rules.
            Classifier tuple = attempt(TUPLE);
            if (tuple == null) {
                throw nothingFits();
            }
            return new Compiled(tuple, "tuple: nothing else fits" + because());
        }
        double[] rates = rates(compiled, sample);
        int best = 0;
        List<String> measured = new ArrayList<>();
        for (int c = 0; c < rates.length; c++) {
            best = rates[c] > rates[best] ? c : best;
            measured.add(rated(algorithm(compiled.get(c)), rates[c]));
        }
        measured.addAll(left);
        return new Compiled(
                compiled.get(best),
                algorithm(compiled.get(best)).label()
                        + ": fastest in a short calibration, M headers/s: "
                        + String.join(", ", measured)
                        + because());
    }

    private static Algorithm algorithm(Classifier classifier) {
        return Algorithm.ofCode(classifier.image().algorithm());
    }

    private static String rated(Algorithm algorithm, double rate) {
        return String.format(Locale.ROOT, "%s %.1f", algorithm.label(), rate);
    }

    /**
     * A candidate and a rate that it will hardly pass.
     *
     * @param rate M headers a second
     */
    private record Promise(Algorithm algorithm, double rate) {}

    /**
     * What the candidates promise, best first: the rate that they reach on a part of many rules,
     * because none is faster on all of them. One that refuses the part is left out.
     */
    private List<Promise> promises(List<Algorithm> candidates) {
        List<Promise> promises = new ArrayList<>();
        int parts = rules.size() / PART;
        if (parts < 2) {
            candidates.forEach(c -> promises.add(new Promise(c, Double.MAX_VALUE)));
            return promises;
        }
        List<Rule> some = new ArrayList<>();
        for (int r = 0; r < rules.size(); r += parts) {
            some.add(rules.rules().get(r));
        }
        RuleSet part =
                new RuleSet(
                        rules.name(), rules.version(), rules.defaultAction(), some, rules.layout());
        List<Classifier> compiled = new ArrayList<>();
        for (Algorithm algorithm : candidates) {
            Classifier classifier = attempt(algorithm, part, options.budgetBytes());
            if (classifier != null) {
                compiled.add(classifier);
            }
        }
        double[] rates = rates(compiled, headers(part));
        for (int c = 0; c < rates.length; c++) {
            promises.add(new Promise(algorithm(compiled.get(c)), rates[c]));
        }
        promises.sort(Comparator.comparingDouble(Promise::rate).reversed());
        return promises;
    }

    private static HeaderBatch headers(RuleSet rules) {
        return new SampleHeaders(rules, 1).batch(rules.layout(), SAMPLE);
    }

    /**
     * M headers a second of each: the best of a few rounds, in turns and after all are warm, so
     * that neither a disturbance nor the order decides.
     */
    private static double[] rates(List<Classifier> classifiers, HeaderBatch sample) {
        VerdictBatch verdicts = new VerdictBatch(sample.capacity());
        classifiers.forEach(c -> run(c, sample, verdicts, WARM_UP_NANOS));
        double[] best = new double[classifiers.size()];
        for (int r = 0; r < ROUNDS; r++) {
            for (int c = 0; c < best.length; c++) {
                double rate = run(classifiers.get(c), sample, verdicts, ROUND_NANOS);
                best[c] = Math.max(best[c], rate);
            }
        }
        return best;
    }

    private static double run(
            Classifier classifier, HeaderBatch sample, VerdictBatch verdicts, long nanos) {
        long start = System.nanoTime();
        long headers = 0;
        long elapsed;
        do {
            classifier.classify(sample, verdicts);
            headers += sample.size();
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return headers * 1e3 / elapsed;
    }
}
