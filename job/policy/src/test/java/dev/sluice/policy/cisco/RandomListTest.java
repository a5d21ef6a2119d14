package dev.sluice.policy.cisco;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice against a judge that reads random lists word by word, packet by packet. */
final class RandomListTest {
    private static final int LISTS = 400;
    private static final int PACKETS = 150;

    @TempDir Path folder;

    /**
     * A header, whether it is of IPv6 and takes prefixes, and a line before it that tells the
     * device.
     */
    private record Kind(String header, boolean v6, boolean prefixes, String sign) {}

    private static final List<Kind> KINDS =
            List.of(
                    new Kind("ip access-list extended L", false, false, "version 15.2"),
                    new Kind("ip access-list L", false, true, "feature acl"),
                    new Kind("ipv4 access-list L", false, true, "hostname xr"),
                    new Kind("ipv6 access-list L", true, true, "version 15.2"),
                    new Kind("ipv6 access-list L", true, true, "feature acl"));

    @Test
    void everyPacketIsDecidedByTheLineThatTheManualsName() throws IOException {
        Random random = new Random(55);
        Set<ListMistake> missed = EnumSet.allOf(ListMistake.class);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int seed = 0; seed < LISTS; seed++) {
            Kind kind = KINDS.get(seed % KINDS.size());
            RandomList list = new RandomList(random, kind.header(), kind.v6(), kind.prefixes());
            Path file = folder.resolve("list" + seed);
            String text = kind.sign() + "\n" + String.join("\n", list.lines) + "\n";
            Files.writeString(file, text);
            FlatPolicy policy = PolicyFile.read(file, PolicyOptions.NONE).flat();
            boolean nexus = kind.sign().startsWith("feature");
            for (int i = 0; i < PACKETS; i++) {
                ListPacket packet = list.packet();
                FlatPolicy.Answer found = Objects.requireNonNull(policy.judge(packet.header()));
                ListJudge.Answer expected =
                        new ListJudge(ListMistake.NONE, packet, nexus).judge(list.lines);
                String story = "list %d, %s%n%s".formatted(seed, packet, text);
                assertEquals(
                        expected.permits() ? Outcome.PERMIT : Outcome.DENY, found.outcome(), story);
                int line = expected.line() == 0 ? 1 : expected.line(); // that of the header
                assertEquals(line + 1, found.rule().origin().line(), story);
                outcomes.merge(found.outcome(), 1, Integer::sum);
                missed.removeIf(
                        mistake ->
                                new ListJudge(mistake, packet, nexus).judge(list.lines).permits()
                                        != expected.permits());
            }
        }
        assertEquals(EnumSet.of(ListMistake.NONE), missed);
        for (Outcome outcome : List.of(Outcome.PERMIT, Outcome.DENY)) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > LISTS * PACKETS / 8, "" + outcomes);
        }
    }
}
