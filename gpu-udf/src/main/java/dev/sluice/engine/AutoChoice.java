package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chooses an algorithm for a rule set, by the first of these that applies: linear for a few dozen
 * rules; one that is compiled quickly where many updates are expected; RFC, where its tables stay
 * near a core's caches, or {@code pairs}, where it takes the rules, unless they name MAC addresses;
 * else the fastest of some candidates in a short calibration on headers made from the rules. An
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

    private static final long RFC_BYTES = 16L << 20;

    /** A forest is built up to so many rules; on MAC addresses it takes longer. */
    private static final int FOREST_UP_TO = 200_000;

    private static final int FOREST_WITH_MACS_UP_TO = 2_000;
    private static final int MASK_FILTER_UP_TO = 20_000;

    /** Over so many masks, tables by mask take long to fill and to search. */
    private static final int MASKS_UP_TO = 2_000;

    private static final int SAMPLE = 1024;
    private static final long WARM_UP_NANOS = 150_000_000L;
    private static final long ROUND_NANOS = 8_000_000L;
    private static final int ROUNDS = 5;

    private static final Algorithm LINEAR = Algorithm.of("linear");
    private static final Algorithm TUPLE = Algorithm.of("tuple");
    private static final Algorithm MERGED_TUPLE = Algorithm.of("merged-tuple");
    private static final Algorithm MASK_FILTER = Algorithm.of("mask-filter");
    private static final Algorithm RFC = Algorithm.of("rfc");
    private static final Algorithm HASH_TREE = Algorithm.of("hash-tree");
    private static final Algorithm FOREST = Algorithm.of("forest");
    private static final Algorithm PAIRS = Algorithm.of("pairs");

    private final RuleSet rules;
    private final EngineOptions options;
    private final List<String> refusals = new ArrayList<>();

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
            Classifier linear = attempt(LINEAR, options.budgetBytes());
            if (linear != null) {
                return new Compiled(linear, "linear: a vector loop is best for " + n + " rules");
            }
        }
        if (options.updatesPerSecond() >= MANY_UPDATES) {
            Classifier changing = attempt(MERGED_TUPLE, options.budgetBytes());
            if (changing != null) {
                return new Compiled(
                        changing,
                        MERGED_TUPLE.label() + ": rules change often, and it is compiled quickly");
            }
        }
        boolean macs = rules.layout().position(HeaderWord.MAC_HIGH) >= 0;
        if (!macs) {
            Classifier tables = byTables(n);
            if (tables != null) {
                Algorithm algorithm = Algorithm.ofCode(tables.image().algorithm());
                String why =
                        algorithm.equals(RFC)
                                ? "its tables take %,d bytes, near a core's caches"
                                : "rules on two address prefixes, in tables of %,d bytes";
                return new Compiled(
                        tables,
                        algorithm.label() + ": " + why.formatted(tables.bytes()) + because());
            }
        }
        return calibrate(candidates(n, macs));
    }

    /** Bytes that an algorithm's image may take to be chosen. */
    static long budget(Algorithm algorithm, EngineOptions options) {
        return algorithm.equals(RFC)
                ? Math.min(options.budgetBytes(), RFC_BYTES)
                : options.budgetBytes();
    }

    private @Nullable Classifier byTables(int n) {
        boolean wide = rules.layout().size() >= WIDE_WORDS;
        if (n <= (wide ? RFC_ON_WIDE_UP_TO : RFC_UP_TO)) {
            Classifier rfc = attempt(RFC, budget(RFC, options));
            if (rfc != null) {
                return rfc;
            }
        }
        return attempt(PAIRS, options.budgetBytes());
    }

    private List<Algorithm> candidates(int n, boolean macs) {
        List<Algorithm> candidates = new ArrayList<>();
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
        if (fewMasks && n <= MASK_FILTER_UP_TO) {
            candidates.add(MASK_FILTER);
        }
        return candidates;
    }

    private @Nullable Classifier attempt(Algorithm algorithm, long budgetBytes) {
        try {
            return new Compiler(options.withAlgorithm(algorithm).withBudget(budgetBytes))
                    .compile(rules);
        } catch (UnsupportedRulesException e) {
            refusals.add(algorithm.label() + " cannot serve these rules");
        } catch (MemoryBudgetException e) {
            refusals.add(algorithm.label() + " needs too much memory");
            boolean whole = e.budgetBytes() >= options.budgetBytes();
            if (whole && (smallest == null || e.neededBytes() < smallest.neededBytes())) {
                smallest = e;
                smallestOf = algorithm;
            }
        }
        return null;
    }

    private MemoryBudgetException nothingFits() {
        MemoryBudgetException least = Objects.requireNonNull(smallest, "tuple serves all rules");
        return least.getCause() instanceof OutOfMemoryError
                ? least
                : MemoryBudgetException.ofAll(
                        Objects.requireNonNull(smallestOf).label(),
                        least.neededBytes(),
                        options.budgetBytes());
    }

    private String because() {
        return refusals.isEmpty() ? "" : " (" + String.join(", ", refusals) + ")";
    }

    private Compiled calibrate(List<Algorithm> candidates) {
        HeaderBatch sample = new SampleHeaders(rules, 1).batch(rules.layout(), SAMPLE);
        Classifier best = null;
        double fastest = 0;
        List<String> rates = new ArrayList<>();
        for (Algorithm algorithm : candidates) {
            Classifier classifier = attempt(algorithm, options.budgetBytes());
            if (classifier == null) {
                continue;
            }
            double rate = rate(classifier, sample);
            rates.add(String.format(Locale.ROOT, "%s %.1f", algorithm.label(), rate));
            if (rate > fastest) {
                fastest = rate;
                best = classifier;
            }
        }
        if (best == null) {
            // Tuple search is the smallest of all, and serves all rules.
            Classifier tuple = attempt(TUPLE, options.budgetBytes());
            if (tuple == null) {
                throw nothingFits();
            }
            return new Compiled(tuple, "tuple: nothing else fits" + because());
        }
        return new Compiled(
                best,
                Algorithm.ofCode(best.image().algorithm()).label()
                        + ": fastest in a short calibration, M headers/s: "
                        + String.join(", ", rates)
                        + because());
    }

    /** M headers a second: the best of a few rounds, so that a disturbance does not decide. */
    private static double rate(Classifier classifier, HeaderBatch sample) {
        VerdictBatch verdicts = new VerdictBatch(sample.capacity());
        run(classifier, sample, verdicts, WARM_UP_NANOS);
        double best = 0;
        for (int r = 0; r < ROUNDS; r++) {
            best = Math.max(best, run(classifier, sample, verdicts, ROUND_NANOS));
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
