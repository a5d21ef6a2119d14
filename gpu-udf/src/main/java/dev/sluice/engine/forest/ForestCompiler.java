package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a forest with several settings and keeps the one that is the cheapest to search. */
public final class ForestCompiler {
    static final ForestSettings[] CANDIDATES = {
        new ForestSettings(true, 1024, 3, 0.004, 40, 60_000),
        new ForestSettings(true, 16, 4, 0.01, 12, 8_000),
        new ForestSettings(false, 1024, 3, 0.004, 40, 60_000),
        new ForestSettings(false, 16, 4, 0.01, 12, 8_000),
    };

    /** For more rules, only candidates with groups are built, to limit the time of a build. */
    private static final int ALL_CANDIDATES_UP_TO = 20_000;

    private static final int SAMPLE_HEADERS = 2048;

    private static final int WHOLE_SHARE = 12;

    private static final Logger LOG = LoggerFactory.getLogger(ForestCompiler.class);

    private ForestCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, long budgetBytes) {
        return whole(rules, budgetBytes).image();
    }

    /**
     * A compiler for successive versions of a rule set: each forest is built from the one before.
     */
    public static BaseCompiler growing(long budgetBytes) {
        return new Growing(budgetBytes);
    }

    private static Forest whole(RuleSet rules, long budgetBytes) {
        ForestEntries entries = ForestEntries.of(rules);
        HeaderBatch headers = headersOf(rules);
        List<Build> builds =
                Arrays.stream(CANDIDATES)
                        .filter(c -> c.grouped() || rules.size() <= ALL_CANDIDATES_UP_TO)
                        .toList()
                        .parallelStream()
                        .map(c -> new ForestBuilder(rules, entries, c, budgetBytes).build())
                        .map(forest -> new Build(forest, reads(forest.image(), headers)))
                        .toList();
        return Collections.min(builds, Comparator.comparingLong(Build::reads)).forest();
    }

    /**
     * Builds the forest of a rule set from the one before: what has changed anew, the rest is
     * copied. When the changes since the last forest built without a predecessor are too large a
     * share of the rules, all is built anew, because windows were chosen for the rules of that
     * time.
     */
    static Forest after(@Nullable Forest before, RuleSet rules, long budgetBytes) {
        if (before != null && before.rules().layout().equals(rules.layout())) {
            ForestEntries entries = ForestEntries.of(rules);
            Changes changes = Changes.of(before, rules, entries);
            if (changes.sinceWhole() * WHOLE_SHARE <= rules.size()) {
                try {
                    return new ForestBuilder(rules, entries, before.settings(), budgetBytes)
                            .rebuild(changes);
                } catch (MemoryBudgetException e) {
                    LOG.debug("new parts of a forest do not fit; it is built as a whole", e);
                }
            }
        }
        return whole(rules, budgetBytes);
    }

    /** Keeps the last forest. */
    private static final class Growing implements BaseCompiler {
        private final long budgetBytes;
        private @Nullable Forest last;

        Growing(long budgetBytes) {
            this.budgetBytes = budgetBytes;
        }

        @Override
        public synchronized Classifier compile(RuleSet rules) {
            Forest forest = after(last, rules, budgetBytes);
            last = forest;
            return new ForestClassifier(forest.image());
        }
    }

    /** A candidate, and what a search of it costs. */
    private record Build(Forest forest, long reads) {}

    /**
     * The cost that forests are compared by: nodes read for the headers plus twice the rules read.
     */
    static long reads(Image image, HeaderBatch headers) {
        ForestClassifier classifier = new ForestClassifier(image);
        long reads = 0;
        for (int i = 0; i < headers.size(); i++) {
            reads += classifier.countReads(headers, i);
        }
        return reads;
    }

    /** Headers at random points of random rules: most real headers match some rule, too. */
    static HeaderBatch headersOf(RuleSet rules) {
        HeaderLayout layout = rules.layout();
        HeaderBatch batch = new HeaderBatch(layout, SAMPLE_HEADERS);
        if (rules.size() == 0) {
            return batch;
        }
        SampleHeaders sample = new SampleHeaders(rules, 1);
        for (int i = 0; i < SAMPLE_HEADERS; i++) {
            batch.add(sample.point());
        }
        return batch;
    }
}
