package dev.sluice.engine.forest;

import dev.sluice.engine.SampleHeaders;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Builds a forest with several settings and keeps the one that is the cheapest to search. */
public final class ForestCompiler {
    static final ForestSettings[] CANDIDATES = {
        new ForestSettings(true, 1024, 3, 0.004, 40, 60_000),
        new ForestSettings(true, 16, 4, 0.01, 12, 8_000),
        new ForestSettings(false, 1024, 3, 0.004, 40, 60_000),
        new ForestSettings(false, 16, 4, 0.01, 12, 8_000),
    };

    /** Over so many rules, only the grouped candidates are built: time. */
    private static final int ALL_CANDIDATES_UP_TO = 20_000;

    private static final int SAMPLE_HEADERS = 2048;

    private ForestCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, long budgetBytes) {
        ForestEntries entries = ForestEntries.of(rules);
        HeaderBatch headers = headersOf(rules);
        List<Build> builds =
                Arrays.stream(CANDIDATES)
                        .filter(c -> c.grouped() || rules.size() <= ALL_CANDIDATES_UP_TO)
                        .toList()
                        .parallelStream()
                        .map(c -> new ForestBuilder(rules, entries, c, budgetBytes).build())
                        .map(image -> new Build(image, reads(image, headers)))
                        .toList();
        return Collections.min(builds, Comparator.comparingLong(Build::reads)).image();
    }

    /** A candidate, and what a search of it costs. */
    private record Build(Image image, long reads) {}

    /** Words read for the headers, rules counted twice: the cost that builds are compared by. */
    private static long reads(Image image, HeaderBatch headers) {
        ForestClassifier classifier = new ForestClassifier(image);
        long reads = 0;
        for (int i = 0; i < headers.size(); i++) {
            reads += classifier.countReads(headers, i);
        }
        return reads;
    }

    /** Headers at random points of random rules: they are what traffic that matters looks like. */
    private static HeaderBatch headersOf(RuleSet rules) {
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
