package dev.sluice.policy.cisco;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CiscoFormatTest {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"edge.cfg", "nexus.txt"})
    void eachListIsUnderstoodAsTheGoldenFileSays(String name) throws IOException {
        String understood =
                PolicyFile.read(sample(name), PolicyOptions.NONE).rules().stream()
                        .map(CiscoFormatTest::words)
                        .collect(Collectors.joining());
        String golden = name.substring(0, name.indexOf('.')) + ".understood";
        assertEquals(Files.readString(sample(golden)), understood);
    }

    private static String words(PolicyRule rule) {
        return "%d %s %s%s: %s%n"
                .formatted(
                        rule.origin().line(),
                        rule.origin().chain(),
                        rule.action(),
                        rule.origin().counters() == null
                                ? ""
                                : " [" + rule.origin().counters().packets() + "]",
                        ConditionText.of(rule.condition()));
    }

    @ParameterizedTest
    @CsvSource({
        "GigabitEthernet0/0, GigabitEthernet0/1, 192.0.2.9, 203.0.113.10, 443, DENY, 31",
        "GigabitEthernet0/0, GigabitEthernet0/2, 192.0.2.9, 203.0.113.10, 443, PERMIT, 0",
        "GigabitEthernet0/0, GigabitEthernet0/2, 192.0.2.9, 203.0.113.9, 443, DENY, 38",
        "GigabitEthernet0/0, GigabitEthernet0/2, 198.51.100.9, 203.0.113.10, 443, DENY, 40",
        "GigabitEthernet0/1, GigabitEthernet0/0, 198.51.100.9, 192.0.2.9, 443, PERMIT, 0",
        "GigabitEthernet0/1, GigabitEthernet0/0, 198.51.100.8, 203.0.113.9, 443, DEPENDS, 58",
        "GigabitEthernet0/2, GigabitEthernet0/1, 192.0.2.9, 198.51.100.9, 136, DENY, 50",
        "GigabitEthernet0/2, GigabitEthernet0/1, 192.0.2.9, 198.51.100.9, 140, PERMIT, 49",
    })
    void theWayThroughARouterIsItsListsOnBothSides(
            String in, String out, String from, String to, int port, Outcome outcome, int line) {
        Assumptions assumed = new Assumptions(null, in, out);
        FlatPolicy.Answer answer = judge(sample("edge.cfg"), assumed, packet(from, to, port));
        boolean ofOffice = outcome == Outcome.DENY && line == 31;
        assertEquals(ofOffice ? Outcome.PERMIT : outcome, answer.outcome());
        assertEquals(ofOffice ? 49 : line, answer.rule().origin().line());
    }

    @Test
    void timesAreThoseOfTheDevicesClock() {
        int[] packet = packet("198.51.100.8", "203.0.113.9", 443);
        Path list = Path.of(sample("edge.cfg") + "#101");
        for (String[] time :
                new String[][] {
                    {"2026-11-27T06:59:59Z", "PERMIT"}, // a Friday, an hour behind the clock
                    {"2026-11-27T07:00:00Z", "DENY"},
                    {"2026-11-27T16:59:59Z", "DENY"},
                    {"2026-11-27T17:00:00Z", "DEPENDS"},
                    {"2026-11-27T17:01:00Z", "PERMIT"},
                    {"2026-11-28T12:00:00Z", "PERMIT"}
                }) {
            Assumptions at = Assumptions.NONE.at(Instant.parse(time[0]));
            assertEquals(Outcome.valueOf(time[1]), judge(list, at, packet).outcome(), time[0]);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "permit tcp any any eq telnt | 2:24: 'telnt': is no port that is known here (telnet?); write its number",
                "permit ip any host 10.0.0.300 | 2:21: '10.0.0.300': is not an IPv4 address",
                "permit ip any any shiny | 2:20: 'shiny': is an option that Sluice does not read",
                "permit ip any | 2:15: 'permit ip any': ends where an address should follow",
                "permit ip any host 2001:db8::1 | is an address of the other IP version",
                "allow ip any any | 2:2: 'allow': begins no entry that Sluice reads",
                "permit tcp any any match-all ack | names no TCP flag",
                "permit tcpp any any | 2:9: 'tcpp': is no protocol",
            })
    void anEntryThatIsNotUnderstoodIsRefusedWithItsPlace(String entry, String message)
            throws IOException {
        Path file = file("ip access-list extended L\n " + entry + "\n permit udp any any\n");
        SluiceException refused =
                assertThrows(
                        SluiceException.class, () -> PolicyFile.read(file, PolicyOptions.NONE));
        assertTrue(refused.getMessage().contains(message), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "deny tcp any any eq telnt;permit tcp any any, 2, DEPENDS",
        "evaluate MIRROR;permit udp any any, 2, DEPENDS",
        "prmit tcp any any;deny ip any any, 2, DEPENDS",
        "permit tcp any any;evaluate MIRROR, 3, PERMIT",
        "deny udp any any;10 permit ip any any, 3, DEPENDS",
    })
    void anEntryThatIsSkippedLeavesItsPacketsOpen(String entries, int line, Outcome outcome)
            throws IOException {
        Path file = file("ip access-list extended L\n " + entries.replace(";", "\n "));
        PolicyOptions skip = new PolicyOptions(null, Assumptions.NONE, true);
        PolicyFile policy = PolicyFile.read(file, skip);
        FlatPolicy.Answer open = policy.flat().judge(packet("10.0.0.1", "10.0.0.2", 80));
        assertEquals(outcome, Objects.requireNonNull(open).outcome());
        assertTrue(
                policy.warnings().get(0).contains(":" + line + ": skipped: '"),
                "" + policy.warnings());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "access-list 101 perm tcp any any eq 80 | PERMIT",
                "acce 101 per tcp any any eq www | PERMIT",
                "ip acce ext L; perm tc any any; per tcp any h 10.0.0.2 | refused",
                "ip acce ext L; deny udp any any; per tcp any ho 10.0.0.2 ran 79 81 | refused",
                "ip acce ext L; deny udp any any; per tcp any ho 10.0.0.2 range 79 81 | PERMIT",
                "ip access-list L; 20 permit tcp any any; 10 deny tcp any any; no 10 | PERMIT",
                "ip access-list extended L; permit tcp any any; exit; no ip access-list extended L; ip access-list extended L; deny ip any any | DENY",
                "interface Ethernet1; ip access-group L in; ip access-list standard M; permit any | PERMIT",
                "feature acl;interface Ethernet1; ip access-group L in; ip access-list M; permit ip any any | DEPENDS",
                "ip access-list extended L; permit tcp any any match-any +ack +syn | PERMIT",
                "ip access-list extended L; permit tcp any any match-all +ack +syn | DENY",
                "ip access-list extended L; permit tcp any any match-all -ack +syn | PERMIT",
                "ip access-list L; permit tcp any any ack syn; deny ip any any;feature x | DEPENDS",
                "ip access-list extended L; evaluate MIRROR | refused",
                "access-list 10 permit 10.0.0.1;interface range Ethernet1 - 4; ip access-group 10 in | refused",
                "access-list 10 permit 10.0.0.1;interface range Ethernet1 - 4; speed 100 | PERMIT",
                "access-list 10 permit 10.0.0.1 | PERMIT",
                "access-list 10 permit 10.0.0.2 | DENY",
                "ip access-list extended L; permit tcp any any packet-length gt 100 | DENY",
                "ipv4 access-list L 10 permit tcp any any | PERMIT",
            })
    void aFirstPacketOfTcpHasTheVerdictOfTheList(String text, String expected) throws IOException {
        Path file = file(text.replace(";", "\n"));
        if (expected.equals("refused")) {
            assertThrows(SluiceException.class, () -> PolicyFile.read(file, PolicyOptions.NONE));
            return;
        }
        Assumptions at = new Assumptions(null, "Ethernet1", "Ethernet2");
        FlatPolicy.Answer answer = judge(file, at, packet("10.0.0.1", "10.0.0.2", 80));
        assertEquals(Outcome.valueOf(expected), answer.outcome());
    }

    @Test
    void aGroupThatContainsItselfIsRefused() throws IOException {
        Path file =
                file(
                        "object-group network A\n group-object B\nobject-group network B\n group-object A\n"
                                + "ip access-list extended L\n permit ip object-group A any\n");
        SluiceException refused =
                assertThrows(
                        SluiceException.class, () -> PolicyFile.read(file, PolicyOptions.NONE));
        assertTrue(refused.getMessage().contains("contains itself"), refused.getMessage());
    }

    @Test
    void eachSideAndEachListHasAName() {
        List<String> names = List.of("in", "out", "MANAGERS", "101", "OUTSIDE6");
        for (String name : names) {
            PolicyFile file =
                    PolicyFile.read(Path.of(sample("edge.cfg") + "#" + name), PolicyOptions.NONE);
            assertEquals(name, file.policies().get(0).name());
        }
        assertEquals(
                "the way through the device", // of any host, so that two configurations compare
                PolicyFile.read(sample("edge.cfg"), PolicyOptions.NONE).policies().get(0).name());
    }

    private static int[] packet(String from, String to, int port) {
        return new ListPacket(from, to, 6, 40000, port, 2, 0).header();
    }

    private static FlatPolicy.Answer judge(Path file, Assumptions assumed, int[] packet) {
        PolicyOptions options = new PolicyOptions(null, assumed, false);
        return Objects.requireNonNull(PolicyFile.read(file, options).flat().judge(packet));
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("list.cfg"), text);
    }

    private static Path sample(String name) {
        return TestData.inCheckout("test-data/cisco/" + name);
    }
}
