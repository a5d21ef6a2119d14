package dev.sluice.lab.advise;

import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.lab.load.CaptureHeaders;
import dev.sluice.lab.load.LoadHeaders;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.io.Amount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The headers that are looked up again and again.
 *
 * @param trace the headers
 * @param source where they are from: {@code captures} or {@code rules}
 * @param description that, in words
 * @param remark what else a user should hear of them; empty for nothing
 */
record Traffic(HeaderTrace trace, String source, String description, String remark) {
    private static final long SEED = 17;

    /** The first headers of captures. */
    static Traffic of(List<Path> captures, ParserOptions parsing, int most) {
        LoadHeaders read =
                CaptureHeaders.read(captures, parsing, new ReadShare(List.of()), most, count -> {});
        int count = read.trace().size();
        String names = captures.stream().map(Path::toString).collect(Collectors.joining(", "));
        return new Traffic(
                read.trace(),
                "captures",
                "%s%s of %s"
                        .formatted(
                                count == most ? "the first " : "",
                                Amount.of(count, "header"),
                                names),
                read.remark());
    }

    /** Headers made from rules. */
    static Traffic of(RuleSet rules, int count) {
        SampleHeaders sample = new SampleHeaders(rules, SEED);
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            headers.add(sample.next());
        }
        return new Traffic(
                HeaderTrace.of(headers),
                "rules",
                Amount.of(count, "header")
                        + " made from the rules, since no capture is named: half hit a rule drawn at random, a quarter differ from such by a bit, a quarter mix two",
                "");
    }
}
