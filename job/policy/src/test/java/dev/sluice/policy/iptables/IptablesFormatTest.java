package dev.sluice.policy.iptables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IptablesFormatTest {
    private static final Assumptions FIRST = new Assumptions(ConnectionState.NEW, "eth0", "eth1");

    @TempDir Path folder;

    @Test
    void eachMatchIsUnderstoodAsTheGoldenFileSays() throws IOException {
        PolicyFile file = read(sample("host.save"), "INPUT", FIRST, false);
        String understood = UnderstoodRules.of(file);
        assertEquals(sample("host.understood"), understood);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 6, 40000, 22, PERMIT, 37",
        "10.1.2.3, 17, 40000, 2000, PERMIT, 39",
        "10.1.9.3, 6, 40000, 23, DENY, 22",
        "192.168.0.1, 6, 40000, 443, PERMIT, 37",
        "192.168.0.1, 6, 40000, 2000, DENY, 22",
        "192.168.0.1, 17, 40000, 444, DENY, 48",
        "192.168.0.1, 17, 53, 53, DENY, 48",
        "203.0.113.9, 6, 40000, 443, DENY, 12",
        "192.168.0.1, 1, 8, 0, DEPENDS, 30",
        "192.168.0.1, 1, 3, 1, DENY, 29",
    })
    void packetsAreDecidedByTheirLine(
            String source, int protocol, int from, int to, Outcome outcome, int line)
            throws IOException {
        PolicyFile file = read(sample("host.save"), "INPUT", FIRST, false);
        Answer answer =
                Objects.requireNonNull(file.flat().judge(packet(source, protocol, from, to)));
        assertEquals(outcome + " " + line, answer.outcome() + " " + answer.rule().origin().line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--physdev-in eth7 | eth0 | PERMIT",
                "! --physdev-in eth7 | eth0 | DENY",
                "! --physdev-in eth7 ! --physdev-is-bridged | eth0.7 | DENY",
                "! --physdev-in eth7 --physdev-is-bridged | eth0 | PERMIT",
                "--physdev-is-bridged | br0 | DEPENDS",
                "! --physdev-is-bridged | br0 | DEPENDS",
                "! --physdev-is-bridged | br0.7 | DEPENDS",
            })
    void packetsThatNoBridgeBringsHaveNoPhysicalDevice(String match, String in, Outcome outcome)
            throws IOException {
        Host host =
                new Host(
                        List.of(),
                        List.of(),
                        List.of(
                                new Host.Link(2, "eth0", "", ""),
                                new Host.Link(3, "eth7", "br0", ""),
                                new Host.Link(4, "br0", "", ""),
                                new Host.Link(5, "br0.7", "", "br0"),
                                new Host.Link(6, "eth0.7", "", "eth0")));
        String text = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m physdev %s -j DROP\nCOMMIT\n";
        Assumptions assumed = new Assumptions(ConnectionState.NEW, in, "", host);
        PolicyFile file = read(text.formatted(match), "INPUT", assumed, false);
        Answer answer = Objects.requireNonNull(file.flat().judge(packet("10.0.0.1", 6, 40000, 22)));
        assertEquals(outcome, answer.outcome());
    }

    /** Rules of raw that deny nothing have no answers, and yet may leave open who comes to them. */
    @Test
    void chainThatSomeOfItsCallersLeaveOpenLosesNoPacket() throws IOException {
        String text =
                """
                *raw
                :PREROUTING ACCEPT [0:0]
                :OUTPUT ACCEPT [0:0]
                :exempt - [0:0]
                -A PREROUTING -m conntrack --ctstate UNTRACKED -j exempt
                -A exempt -p tcp --dport 80 -j RETURN
                -A exempt -p tcp -j CT --notrack
                COMMIT
                *filter
                :INPUT DROP [0:0]
                -A INPUT -m conntrack --ctstate NEW -j ACCEPT
                COMMIT
                """;
        PolicyFile file = read(text, "INPUT", FIRST, false);
        for (int protocol : new int[] {6, 17}) {
            int[] packet = packet("10.0.0.1", protocol, 40000, 80);
            assertEquals(
                    Outcome.PERMIT, Objects.requireNonNull(file.flat().judge(packet)).outcome());
        }
    }

    /** The opposite of so many pairs would have more boxes than a rule may. */
    @Test
    void largeSetOfPairsIsNegated() throws IOException {
        StringBuilder text = new StringBuilder("create pairs hash:ip,port family inet\n");
        for (int i = 0; i < 60; i++) {
            text.append("add pairs 10.0.%d.%d,tcp:%d\n".formatted(i % 7, i, 1000 + 3 * i));
        }
        text.append("*filter\n:INPUT DROP [0:0]\n");
        text.append("-A INPUT -p tcp -m set ! --match-set pairs src,dst -j ACCEPT\nCOMMIT\n");
        PolicyFile file = read(text.toString(), "INPUT", FIRST, false);
        for (int i = 0; i < 60; i++) {
            String source = "10.0.%d.%d".formatted(i % 7, i);
            int[] in = packet(source, 6, 40000, 1000 + 3 * i);
            int[] beside = packet(source, 6, 40000, 1001 + 3 * i);
            assertEquals(Outcome.DENY, Objects.requireNonNull(file.flat().judge(in)).outcome());
            assertEquals(
                    Outcome.PERMIT, Objects.requireNonNull(file.flat().judge(beside)).outcome());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-A INPUT -p tcp --dport 70000 -j ACCEPT | 25: '70000': is beyond 65535",
                "-A INPUT --dport 22 -j ACCEPT | 10: '--dport': is no option of a match",
                "-A INPUT -m u32 --u32 0=1 -j DROP | 13: 'u32': is a match that Sluice does not read",
                "-A INPUT -j NOWHERE | 13: 'NOWHERE': is neither a chain of this table nor a target",
                "-A INPUT -j ACCPT | 13: 'ACCPT': is neither a chain of this table nor a target that Sluice knows; write ACCEPT, or declare the chain by a line :ACCPT - [0:0]",
                "-A INPUT -j DORP | 13: 'DORP': is neither a chain of this table nor a target that Sluice knows; write DROP, or declare the chain by a line :DORP - [0:0]",
                "-A INPUT -g ACCEPTS | 13: 'ACCEPTS': is neither a chain of this table nor a target that Sluice knows; declare the chain by a line :ACCEPTS - [0:0]",
                "-A INPUT -j FOOBAR | 13: 'FOOBAR': is neither a chain of this table nor a target that Sluice knows; declare the chain by a line :FOOBAR - [0:0]",
                "-A NONE -j DROP | 4: 'NONE': is no chain of table filter",
                "-A INPUT -s 10.0.0.0/33 -j DROP | 22: '33': is not a prefix length",
                "-A INPUT -m set --match-set x src -j DROP | 29: 'x': is a set that the file does not hold",
                "-A INPUT -p tcp -m tcp --dport | 24: '--dport': is the end of the rule",
                "-D INPUT -j DROP | 1: '-D': is no command that Sluice reads",
                "-A INPUT -m comment --comment \"x -j DROP | 31: '\"x -j DROP': has no closing quote",
                "-A INPUT -j ACCEPT -j DROP | 23: 'DROP': is a second target",
            })
    void refusalNamesColumnAndWords(String rule, String expected) {
        String text = "*filter\n:INPUT ACCEPT [0:0]\n" + rule + "\nCOMMIT\n";
        SluiceException refused =
                assertThrows(SluiceException.class, () -> read(text, "INPUT", FIRST, false));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(":3:" + expected), message);
    }

    @ParameterizedTest
    @CsvSource({
        "-m ttl --ttl-eq 64, 64, PERMIT",
        "-m ttl --ttl-eq 64, 63, DENY",
        "-m ttl --ttl-eq 64, -1, DEPENDS",
        "-m ttl ! --ttl-eq 64, -1, DEPENDS",
        "-m length --length 20:100, 64, DEPENDS"
    })
    void packetThatDoesNotStateAFieldDependsOnIt(String match, int ttl, Outcome outcome)
            throws IOException {
        String text = "*filter\n:INPUT DROP [0:0]\n-A INPUT %s -j ACCEPT\nCOMMIT\n";
        PolicyFile file = read(text.formatted(match), "INPUT", FIRST.ofMessages(), false);
        int[] header = packet("10.1.2.3", 6, 40000, 22);
        header[Field.TTL.word()] = 0;
        if (ttl >= 0) {
            Field.TTL.put(header, ttl);
        }
        assertEquals(outcome, Objects.requireNonNull(file.flat().judge(header)).outcome());
    }

    @Test
    void fileThatIsCutShortIsRefused() {
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () -> read("*filter\n:INPUT DROP [0:0]\n", "INPUT", FIRST, false));
        assertTrue(String.valueOf(refused.getMessage()).contains("add a line COMMIT"));
    }

    @ParameterizedTest
    @CsvSource({
        ":PREROUTING DROP [0:0], drops new connections in table nat",
        "-A PREROUTING -j DROP, 'drops in table nat, which iptables refuses'",
    })
    void dropInTableNatIsRefused(String line, String expected) {
        String text = "*nat\n%s\nCOMMIT\n*filter\nCOMMIT\n".formatted(line);
        SluiceException refused =
                assertThrows(SluiceException.class, () -> read(text, "INPUT", FIRST, false));
        assertTrue(String.valueOf(refused.getMessage()).contains(expected), refused.getMessage());
    }

    @Test
    void fileOfSeveralHooksNamesThem() {
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () -> read(sample("host.save"), "NONE", FIRST, false));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("#INPUT, ") && message.contains("#FORWARD, "), message);
    }

    @Test
    void packetWithoutHookIsJudgedOnEachWay() throws IOException {
        PolicyFile file = read(sample("host.save"), null, FIRST, false);
        assertEquals(
                List.of("INPUT", "FORWARD", "OUTPUT"),
                file.policies().stream().map(Policy::name).toList());
        assertTrue(
                file.warnings().stream().anyMatch(text -> text.contains("neither --host nor")),
                "" + file.warnings());
    }

    @Test
    void skippedRuleMakesItsRegionDepend() throws IOException {
        String text =
                "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp -m u32 --u32 0=1 -j ACCEPT\nCOMMIT\n";
        PolicyFile file = read(text, "INPUT", FIRST, true);
        assertEquals(1, file.warnings().stream().filter(w -> w.contains("skipped: ")).count());
        assertEquals(
                Outcome.DEPENDS,
                Objects.requireNonNull(file.flat().judge(packet("10.0.0.1", 6, 1, 2))).outcome());
        assertEquals(
                Outcome.DENY,
                Objects.requireNonNull(file.flat().judge(packet("10.0.0.1", 17, 1, 2))).outcome());
    }

    @Test
    void packetsOfOtherVersionsDoNotComeToThePolicy() throws IOException {
        PolicyFile file = read(sample("host.save"), "INPUT", FIRST, false);
        assertNull(file.flat().judge(new int[HeaderWord.COUNT]));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "-A FORWARD -m ttl --ttl-eq 63 -j ACCEPT; 64; 0; PERMIT",
                "-A FORWARD -m ttl --ttl-eq 63 -j ACCEPT; 63; 0; DENY",
                "-A FORWARD -p udp -m udp --dport 53 -j ACCEPT; 64; 3; DENY",
                "-A FORWARD -p udp -m udp ! --dport 53 -j ACCEPT; 64; 3; DENY",
                "-A FORWARD -f -j ACCEPT; 64; 3; PERMIT",
                "-A FORWARD -i + -o + -j ACCEPT; 64; 0; PERMIT",
                "-A FORWARD ! -i + -j ACCEPT; 64; 0; DENY",
                "-A FORWARD -m state --state NEW -p udp -m udp --dport 53 -j ACCEPT; 64; 3; DEPENDS",
                "-A FORWARD -m state --state NEW -j ACCEPT|-A FORWARD -f -j ACCEPT; 64; 3; DEPENDS"
            })
    void packetsAreSeenAsTheirRulesDo(String rules, int ttl, int fragment, Outcome outcome)
            throws IOException {
        String text =
                "*filter\n:FORWARD DROP [0:0]\n%s\nCOMMIT\n".formatted(rules.replace('|', '\n'));
        int[] header = packet("10.0.0.1", 17, 1, 53);
        Field.TTL.put(header, ttl);
        Field.FRAGMENT.put(header, fragment);
        if (fragment == Field.FRAGMENT_LATER) {
            Field.PORTS_PRESENT.put(header, 0);
        }
        PolicyFile legacy = read(text, "FORWARD", FIRST, false);
        assertEquals(outcome, Objects.requireNonNull(legacy.flat().judge(header)).outcome());
    }

    @Test
    void nftablesReadsPortsInLaterFragments() throws IOException {
        String text =
                "# Generated by iptables-save v1.8.9 (nf_tables) on Fri Nov 27\n*filter\n:FORWARD DROP [0:0]\n-A FORWARD -p udp -m udp ! --dport 53 -j ACCEPT\nCOMMIT\n";
        int[] header = packet("10.0.0.1", 17, 1, 53);
        Field.FRAGMENT.put(header, Field.FRAGMENT_LATER);
        Field.PORTS_PRESENT.put(header, 0);
        PolicyFile nft = read(text, "FORWARD", FIRST, false);
        assertEquals(Outcome.DEPENDS, Objects.requireNonNull(nft.flat().judge(header)).outcome());
    }

    @Test
    void ip6tablesIsToldByItsContent() throws IOException {
        String text =
                "*filter\n:INPUT DROP [0:0]\n-A INPUT -s fe80::/10 -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j ACCEPT\nCOMMIT\n";
        assertEquals("ip6tables", read(text, "INPUT", FIRST, false).format().label());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-p tcp -m tcp --dport 80 -j TPROXY --on-port 3129 --on-ip 0.0.0.0 --tproxy-mark 0x1/0x1",
                "-p tcp -j NFQUEUE --queue-num 1",
                "-m socket --transparent --restore-skmark -j ACCEPT"
            })
    void packetsDependOnMarksThatOthersSet(String rule) throws IOException {
        String text =
                "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING %s\nCOMMIT\n*filter\n:INPUT DROP [0:0]\n-A INPUT -m mark --mark 0x1/0x1 -j ACCEPT\nCOMMIT\n";
        PolicyFile file = read(text.formatted(rule), "INPUT", FIRST, false);
        assertEquals(
                Outcome.DEPENDS,
                Objects.requireNonNull(file.flat().judge(packet("10.0.0.1", 6, 1, 80))).outcome());
    }

    @Test
    void destinationOfIpv6WithDigitsBehindItsFirstColonIsNoPort() throws IOException {
        String text =
                "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 2001:470::1/128 -j DNAT --to-destination 2001:470:0:1::2\nCOMMIT\n*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n";
        assertEquals("ip6tables", read(text, "FORWARD", FIRST, false).format().label());
    }

    private PolicyFile read(String text, @Nullable String hook, Assumptions assumed, boolean skip)
            throws IOException {
        Path file = folder.resolve("policy.save");
        Files.writeString(file, text);
        return PolicyFile.read(file, new PolicyOptions(hook, assumed, skip));
    }

    private static String sample(String name) throws IOException {
        return Files.readString(TestData.inCheckout("test-data/iptables/" + name));
    }

    private static int[] packet(String source, int protocol, int from, int to) {
        int[] header = new int[HeaderWord.COUNT];
        int address = 0;
        for (String part : source.split("\\.")) {
            address = address << 8 | Integer.parseInt(part);
        }
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IPV4_SRC.put(header, address);
        Field.IPV4_DST.put(header, 0xc0000201);
        Field.IP_PROTO.put(header, protocol);
        Field.SRC_PORT.put(header, from);
        Field.DST_PORT.put(header, to);
        Field.TCP_FLAGS.put(header, 2);
        Field.TTL.put(header, 64);
        return header;
    }
}
