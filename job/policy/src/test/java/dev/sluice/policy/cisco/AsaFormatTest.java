package dev.sluice.policy.cisco;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AsaFormatTest {
    @TempDir Path folder;

    @Test
    void aConfigurationIsUnderstoodAsTheGoldenFileSays() throws IOException {
        String understood =
                UnderstoodRules.of(
                        PolicyFile.read(
                                sample(), new PolicyOptions(null, Assumptions.NONE, false)));
        Path golden = TestData.inCheckout("test-data/cisco/firewall.understood");
        assertEquals(Files.readString(golden), understood);
    }

    @ParameterizedTest
    @CsvSource({
        "outside, dmz, NEW, 6, 203.0.113.10, 443, 2, PERMIT, 53",
        "outside, dmz, NEW, 6, 203.0.113.9, 443, 2, DENY, 0",
        "outside, dmz, NEW, 6, 203.0.113.100, 25, 2, PERMIT, 53",
        "outside, inside, NEW, 6, 203.0.113.10, 443, 2, PERMIT, 0", // a list overrides levels
        "outside, dmz, NEW, 50, 203.0.113.12, 0, 0, PERMIT, 53",
        "outside, dmz, NEW, 17, 203.0.113.13, 9, 0, DENY, 0", // inactive
        "outside, dmz, ESTABLISHED, 6, 203.0.113.9, 443, 16, PERMIT, 0",
        "outside, dmz, NEW, 6, 203.0.113.10, 443, 16, DENY, 0", // no connection
        "outside, dmz, ESTABLISHED, 1, 203.0.113.9, 0, 0, DENY, 0", // icmp is not inspected
        "dmz, inside, NEW, 6, 198.51.100.9, 443, 2, DENY, 20", // to a higher level
        "inside, outside, NEW, 6, 192.0.2.9, 443, 2, PERMIT, 0",
        "dmz, lab, NEW, 6, 203.0.113.200, 443, 2, DENY, 20", // of one level
        "inside, inside, NEW, 6, 198.51.100.9, 443, 2, DENY, 15",
        "inside, dmz, NEW, 17, 203.0.113.200, 99, 0, DENY, 52",
        "inside, dmz, NEW, 17, 203.0.113.100, 99, 0, PERMIT, 53",
    })
    void thePathThroughTheDeviceIsConnectionsListsAndLevels(
            String in,
            String out,
            ConnectionState state,
            int protocol,
            String to,
            int port,
            int flags,
            Outcome outcome,
            int line) {
        int first = protocol == 1 ? 0 : 40_000;
        int[] packet = new ListPacket("192.0.2.9", to, protocol, first, port, flags, 0).header();
        FlatPolicy.Answer answer = judge(sample(), new Assumptions(state, in, out), packet);
        assertEquals(outcome, answer.outcome());
        assertEquals(line, answer.rule().origin().line(), answer.rule().origin().text());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "access-list L line 1 extended permit tcp object-group A any (hitcnt=5) 0x1;  access-list L line 1 extended permit tcp host 10.0.0.1 any (hitcnt=5) 0x2 | PERMIT",
                "access-list L line 1 extended permit tcp any fqdn x.org (unresolved) (inactive) 0x1;access-list L line 2 extended permit udp any any | DENY",
                "access-list L extended permit tcp any range 10.0.0.1 10.0.0.9 eq www | PERMIT",
                "access-list L extended permit tcp any range 10.0.0.3 10.0.0.9 eq www | DENY",
                "access-list L extended permit tcp any fqdn x.org | DEPENDS",
                "access-list L extended permit object tcp-www any any | PERMIT",
                "access-list L extended permit object-group NONE any any | DEPENDS",
                "access-list L extended permit tcp any any object-group NONE | DEPENDS",
                "access-list L extended permit tcp any 10.0.0.2 | refused",
                "access-list L extended permit tcp any any eq www 443 | refused",
                "access-list L extended permit tcp any6 any | DENY",
                "access-list L extended permit tcp any any;access-list L line 1 extended deny ip host 10.0.0.1 any | DENY",
                "access-list L remark x;access-list L extended permit tcp any any;access-list L line 2 extended deny ip any any;access-list L line 2 remark y | DENY",
                "access-list L remark x;access-list L extended permit tcp any any;access-list L line 3 extended deny ip any any | PERMIT",
                "no access-list L extended permit tcp any any;access-list L extended permit ip any any | refused",
                "access-list L extended permit tcp any any;access-list M extended deny ip any any;access-group L global;access-group M in interface a | DENY",
                "access-list L extended permit tcp any any;access-list M extended deny udp any any;access-group L global;access-group M in interface a | PERMIT",
                "access-list L extended deny ip any any;access-group L in interface b | PERMIT",
                "access-list L extended permit ip any any;access-group L in interface a;access-group NONE out interface b | DEPENDS",
            })
    void aFirstPacketOfTcpHasTheVerdictOfTheLists(String text, String expected) throws IOException {
        Path file = Files.writeString(folder.resolve("asa"), text.replace(";", "\n"));
        Assumptions at = new Assumptions(ConnectionState.NEW, "a", "b");
        int[] packet = new ListPacket("10.0.0.1", "10.0.0.2", 6, 40_000, 80, 2, 0).header();
        if (expected.equals("refused")) {
            SluiceException refused =
                    assertThrows(SluiceException.class, () -> judge(file, at, packet));
            assertTrue(refused.getMessage().contains(":1:"), refused.getMessage());
        } else {
            assertEquals(Outcome.valueOf(expected), judge(file, at, packet).outcome());
        }
    }

    /** Random lists of a router, said with masks, have the verdicts of the slow judge. */
    @Test
    void everyPacketOfARandomListIsDecidedByTheSameLine() throws IOException {
        Random random = new Random(56);
        int compared = 0;
        Set<ListMistake> missed =
                EnumSet.of(
                        ListMistake.WILDCARD_IS_A_MASK,
                        ListMistake.LESS_INCLUDES_ITS_END,
                        ListMistake.NAME_HAS_NO_CODE,
                        ListMistake.PERMIT_AT_THE_END);
        for (int seed = 0; seed < 200; seed++) {
            RandomList list = new RandomList(random, "ip access-list L", false, true);
            List<String> lines = new ArrayList<>(List.of(""));
            List<String> asa = new ArrayList<>(List.of("ASA Version 9.9"));
            for (String line : list.lines.subList(1, list.lines.size())) {
                String entry = line.strip().replaceFirst("^[0-9]+ ", "");
                if (!entry.matches(
                        ".*(established|fragments|eq \\S+ (www|domain|telnet|bgp|[0-9]+( |$))).*")) {
                    lines.add(entry);
                    asa.add("access-list L extended " + masked(entry));
                }
            }
            if (lines.size() < 2) {
                continue;
            }
            Path file = Files.writeString(folder.resolve("asa" + seed), String.join("\n", asa));
            FlatPolicy policy = PolicyFile.read(file, PolicyOptions.NONE).flat();
            for (int i = 0; i < 100; i++) {
                ListPacket packet = list.packet();
                if (packet.isLater()) {
                    continue;
                }
                ListJudge.Answer expected =
                        new ListJudge(ListMistake.NONE, packet, false).judge(lines);
                FlatPolicy.Answer found = Objects.requireNonNull(policy.judge(packet.header()));
                String story = packet + "\n" + String.join("\n", asa);
                assertEquals(
                        expected.permits() ? Outcome.PERMIT : Outcome.DENY, found.outcome(), story);
                assertEquals(expected.line(), found.rule().origin().line(), story);
                compared++;
                missed.removeIf(
                        mistake ->
                                new ListJudge(mistake, packet, false).judge(lines).permits()
                                        != expected.permits());
            }
        }
        assertEquals(Set.of(), missed);
        assertTrue(compared > 10_000, compared + " packets");
    }

    /** An entry with masks in place of wildcards and prefixes. */
    private static String masked(String entry) {
        String[] words = entry.split(" +");
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words.length; i++) {
            int slash = words[i].indexOf('/');
            boolean prefix = slash > 0;
            boolean address = words[i].indexOf('.') > 0 && !words[i - 1].equals("host");
            if (address) {
                byte[] free = ListPacket.bytes(prefix ? "0.0.0.0" : words[i + 1]);
                int mask =
                        prefix
                                ? -1 << 32 - Integer.parseInt(words[i].substring(slash + 1))
                                : ~ByteBuffer.wrap(free).getInt();
                text.append(prefix ? words[i].substring(0, slash) : words[i]);
                for (int shift = 24; shift >= 0; shift -= 8) {
                    text.append(shift == 24 ? " " : ".").append(mask >>> shift & 0xff);
                }
                i += prefix ? 0 : 1;
            } else {
                text.append(words[i]);
            }
            text.append(' ');
        }
        return text.toString().strip();
    }

    private static FlatPolicy.Answer judge(Path file, Assumptions assumed, int[] packet) {
        PolicyOptions options = new PolicyOptions(null, assumed, false);
        return Objects.requireNonNull(PolicyFile.read(file, options).flat().judge(packet));
    }

    private static Path sample() {
        return TestData.inCheckout("test-data/cisco/firewall.asa");
    }
}
