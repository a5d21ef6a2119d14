package dev.sluice.job.lab.sets;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Many entries that name all ten fields of OpenFlow 0.8.9 beside a few with wildcards
 * (PacketShader, SIGCOMM 2010, §6.2.3).
 */
public final class ExactTables {
    private static final int HEADERS = 200_000;

    private ExactTables() {}

    /** Such a rule set, and headers of which nine in ten meet an exact entry. */
    public static TestSet of(int exact, int wildcards) {
        SplittableRandom random = new SplittableRandom(5);
        List<Rule> rules = new ArrayList<>();
        List<int[]> headers = new ArrayList<>();
        for (int k = 0; k < exact; k++) {
            Match match =
                    new Match.Builder()
                            .field(Field.IN_PORT, random.nextInt(48))
                            .word(HeaderWord.MAC_HIGH, random.nextInt(), -1)
                            .word(HeaderWord.MAC_MIDDLE, random.nextInt(), -1)
                            .word(HeaderWord.MAC_LOW, random.nextInt(), -1)
                            .field(Field.ETH_TYPE, 0x0800)
                            .field(Field.VLAN_ID, random.nextInt(4096))
                            .field(Field.IPV4_SRC, random.nextInt())
                            .field(Field.IPV4_DST, random.nextInt())
                            .field(Field.IP_PROTO, random.nextBoolean() ? 6 : 17)
                            .field(Field.SRC_PORT, random.nextInt(65_536))
                            .field(Field.DST_PORT, random.nextInt(65_536))
                            .build();
            rules.add(new Rule(k + 1L, 60_000, match, "a", k + 1));
            if (k < HEADERS) {
                int[] header = new int[HeaderWord.COUNT];
                for (int w = 0; w < header.length; w++) {
                    header[w] = match.value(w) | random.nextInt() & ~match.mask(w);
                }
                headers.add(header);
            }
        }
        RuleGenerator.MaskCounts maskCounts = new RuleGenerator.MaskCounts(1, 1, 1, 5);
        RuleGenerator generator =
                new RuleGenerator(RuleShape.OPENFLOW, wildcards, 3, maskCounts, 0.5);
        TestSet wild = TestSet.generate("wild", generator, HEADERS / 10, 0.5, 3, false);
        for (Rule rule : wild.rules().rules()) {
            long id = exact + rule.id();
            rules.add(new Rule(id, rule.priority() % 60_000, rule.match(), "w", (int) id));
        }
        for (int i = 0; i < wild.trace().size(); i++) {
            headers.add(wild.trace().header(i));
        }
        String name = String.format("exact %,d + wildcard %,d", exact, wildcards);
        RuleSet set = RuleSet.of(name, 1, RuleSet.DROP, rules);
        return new TestSet(name, set, HeaderTrace.of(headers), new int[0]);
    }
}
