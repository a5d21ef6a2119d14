package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.family.FamiliesAlgorithm;
import dev.sluice.engine.family.FamiliesClassifier;
import dev.sluice.engine.family.FamilySplit;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.routes.RouteAlgorithm;
import dev.sluice.engine.routes.RouteCompiler;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses an algorithm for a rule set, by the first of these that applies: linear for a few dozen
 * rules; one that is compiled quickly where many updates are expected; an image for each IP version
 * where its rules look at fewer header words; RFC, where its tables stay near a core's caches,
 * unless rules name MAC addresses; else the fastest of some candidates, RFC with larger tables
 * among them, in a short calibration on headers made from the rules. Of many rules a part is tried
 * first: a candidate that is slower on it than another one on all rules is not compiled for them.
 * Where a device serves the rules, too, {@link DeviceChoice} measures there then. An algorithm that
 * refuses the rules or passes the budget is passed over. Not thread-safe.
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

    /**
     * RFC is tried on any number of rules that name ports and protocol alone, whose classes stay
     * few once they are made.
     */
    private static final int SERVICE_WORDS = 1 << HeaderWord.PORTS | 1 << HeaderWord.IP;

    private static final long RFC_BYTES = 32L << 20;

    /** Up to so many bytes RFC's tables are measured beside other candidates. */
    private static final long RFC_MEASURED_BYTES = 128L << 20;

    /** RFC's classes may take more while they are made: tables that shrink later. */
    private static final long RFC_BUILD_BYTES = 320L << 20;

    /** The same of rules that name ports and protocol alone. */
    private static final long RFC_SERVICES_BUILD_BYTES = 1L << 30;

    /** A forest is built up to so many rules; on MAC addresses it takes longer. */
    private static final int FOREST_UP_TO = 1_500_000;

    private static final int FOREST_WITH_MACS_UP_TO = 2_000;

    /** Up to so many masks, tables by mask are a candidate whatever the number of rules. */
    private static final int MASKS_UP_TO = 2_000;

    /**
     * With more masks they are one up to so many pairs of a mask and a rule, which bound what their
     * build compares: 14,000 rules with a mask each; not where rules name MAC addresses.
     */
    private static final long MASKS_TIMES_RULES_UP_TO = 200_000_000;

    /** Rules at least of the part that candidates are tried on first. */
    private static final int PART = 4096;

    /**
     * A candidate is not compiled for all rules where another one is more than so many times as
     * fast on the part: of 34 policies none came to the front from further behind than 1.5 times.
     */
    private static final double MOST_BEHIND = 1.6;

    private static final Algorithm LINEAR = Algorithm.of("linear");
    private static final Algorithm TUPLE = Algorithm.of("tuple");
    private static final Algorithm MERGED_TUPLE = Algorithm.of("merged-tuple");
    private static final Algorithm RFC = Algorithm.of("rfc");
    private static final Algorithm HASH_TREE = Algorithm.of("hash-tree");
    private static final Algorithm FOREST = Algorithm.of("forest");
    private static final Algorithm PAIRS = Algorithm.of("pairs");
    private static final Algorithm ROUTES = Algorithm.of(RouteAlgorithm.LABEL);
    private static final Algorithm FAMILIES = Algorithm.of(FamiliesAlgorithm.LABEL);

    private final RuleSet rules;
    private final EngineOptions options;
    private final GpuPool.@Nullable Use device;
    private final Attempts attempts;
    private final @Nullable Attempts part;

    /**
     * A choice.
     *
     * @param device for which is chosen, too; null for none
     */
    AutoChoice(RuleSet rules, EngineOptions options, GpuPool.@Nullable Use device) {
        this.rules = rules;
        this.options = options;
        this.device = device;
        this.attempts = new Attempts(rules, options);
        this.part = attempts.part(PART);
    }

    Compiled choose() {
        Compiled onCpu = chooseForCpu();
        if (device == null || options.updatesPerSecond() >= MANY_UPDATES) {
            return onCpu;
        }
        return new DeviceChoice(device, options).choose(onCpu, attempts, part, forDevice());
    }

    /** A device reads tables of class ids far from a core's caches, too. */
    private List<Algorithm> forDevice() {
        List<Algorithm> candidates = new ArrayList<>();
        if (takesRfc()) {
            candidates.add(RFC);
        }
        candidates.addAll(candidates());
        return candidates;
    }

    private boolean hasMacs() {
        return rules.layout().position(HeaderWord.MAC_HIGH) >= 0;
    }

    private boolean takesRfc() {
        boolean wide = rules.layout().size() >= WIDE_WORDS;
        return !hasMacs()
                && (rules.size() <= (wide ? RFC_ON_WIDE_UP_TO : RFC_UP_TO)
                        || namesServices(rules.layout()));
    }

    /** Whether rules name ports and protocol alone. */
    private static boolean namesServices(HeaderLayout layout) {
        return (layout.wordBits() & ~SERVICE_WORDS) == 0;
    }

    private Compiled chooseForCpu() {
        int n = rules.size();
        if (n <= LINEAR_UP_TO) {
            Classifier linear = attempts.by(LINEAR);
            if (linear != null) {
                return new Compiled(linear, "linear: a vector loop is best for " + n + " rules");
            }
        }
        if (options.updatesPerSecond() >= MANY_UPDATES) {
            Classifier changing = attempts.by(MERGED_TUPLE);
            if (changing != null) {
                return new Compiled(
                        changing,
                        MERGED_TUPLE.label() + ": rules change often, and it is compiled quickly");
            }
        }
        if (FamilySplit.narrows(rules)) {
            Classifier families = attempts.by(FAMILIES);
            if (families instanceof FamiliesClassifier byVersion) {
                return new Compiled(
                        families,
                        "families: the rules of each IP version look at fewer words: "
                                + byVersion.description());
            }
        }
        if (takesRfc()) {
            Classifier rfc = attempts.by(RFC);
            if (rfc != null && rfc.bytes() <= RFC_BYTES) {
                return new Compiled(
                        rfc,
                        "rfc: its tables take %,d bytes, near a core's caches"
                                .formatted(rfc.bytes()));
            }
            if (rfc != null && rfc.bytes() <= RFC_MEASURED_BYTES) {
                List<Algorithm> withRfc = new ArrayList<>(candidates());
                withRfc.add(0, RFC);
                return calibrate(withRfc);
            }
            if (rfc != null) {
                attempts.refuse("rfc's tables are far from a core's caches");
            }
        }
        return calibrate(candidates());
    }

    /** Bytes of a budget that an algorithm may take to be chosen, by what the rules look at. */
    static long buildBudget(Algorithm algorithm, long budgetBytes, HeaderLayout layout) {
        if (!algorithm.equals(RFC)) {
            return budgetBytes;
        }
        long most = namesServices(layout) ? RFC_SERVICES_BUILD_BYTES : RFC_BUILD_BYTES;
        return Math.min(budgetBytes, most);
    }

    private List<Algorithm> candidates() {
        boolean macs = hasMacs();
        List<Algorithm> candidates = new ArrayList<>();
        if (RouteCompiler.namesOneAddress(rules)) {
            candidates.add(ROUTES);
        }
        if (!macs) {
            candidates.add(PAIRS);
        }
        long masks = rules.countMasks();
        if (masks <= MASKS_UP_TO || !macs && masks * rules.size() <= MASKS_TIMES_RULES_UP_TO) {
            candidates.add(MERGED_TUPLE);
        }
        if (macs) {
            candidates.add(HASH_TREE);
        }
        if (rules.size() <= (macs ? FOREST_WITH_MACS_UP_TO : FOREST_UP_TO)) {
            candidates.add(FOREST);
        }
        return candidates;
    }

    private Compiled calibrate(List<Algorithm> candidates) {
        Calibration.Outcome outcome =
                new Calibration(
                                attempts,
                                part,
                                new CpuRates(),
                                Integer.MAX_VALUE,
                                MOST_BEHIND,
                                options.budgetBytes())
                        .fastest(candidates, 0);
        Classifier fastest = outcome.fastest();
        if (fastest == null) {
            // Tuple search is the smallest of all, and serves all rules.
            Classifier tuple = attempts.by(TUPLE);
            if (tuple == null) {
                throw attempts.nothingFits();
            }
            return new Compiled(tuple, "tuple: nothing else fits" + attempts.because());
        }
        return new Compiled(
                fastest,
                Algorithm.ofCode(fastest.image().algorithm()).label()
                        + ": fastest in a short calibration, M headers/s: "
                        + String.join(", ", outcome.measured())
                        + attempts.because());
    }
}
