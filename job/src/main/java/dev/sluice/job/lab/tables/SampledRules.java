package dev.sluice.job.lab.tables;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Random samples of a file's rules. */
final class SampledRules {
    /** What the paper's form looks at. */
    private static final Set<Integer> FOUR_FIELDS =
            Set.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS);

    private static final long SEED = 1;

    private SampledRules() {}

    /**
     * Rules of a file, drawn at random; in their order, the same for the same number.
     *
     * @throws UsageException if there are fewer
     */
    static RuleSet of(List<Rule> rules, int count) {
        if (count > rules.size()) {
            throw new UsageException(
                    "--counts %d: the file has %d rules; name a smaller number, or another file"
                            .formatted(count, rules.size()));
        }
        List<Integer> drawn = new ArrayList<>(IntStream.range(0, rules.size()).boxed().toList());
        Collections.shuffle(drawn, new Random(SEED));
        return set(drawn.subList(0, count).stream().sorted().map(rules::get).toList());
    }

    /** The same rules without what lies beyond IPv4 addresses and ports. */
    static RuleSet ofFourFields(RuleSet rules) {
        int[] others =
                IntStream.range(0, HeaderWord.COUNT)
                        .filter(word -> !FOUR_FIELDS.contains(word))
                        .toArray();
        return set(
                rules.rules().stream()
                        .map(rule -> rule.withMatch(rule.match().without(others)))
                        .toList());
    }

    private static RuleSet set(List<Rule> rules) {
        return RuleSet.of("sample", 1, RuleSet.DROP, rules);
    }
}
