package dev.sluice.policy.nft;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.testing.PolicyText;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NftFormatTest {
    private static final Assumptions FIRST = new Assumptions(ConnectionState.NEW, "wan0", "lan0");

    @TempDir Path folder;

    @Test
    void eachConstructIsUnderstoodAsTheGoldenFileSays() throws IOException {
        PolicyFile file =
                PolicyFile.read(
                        TestData.inCheckout("test-data/nft/host.nft"),
                        new PolicyOptions("input", FIRST, false));
        String understood = UnderstoodRules.of(file);
        assertEquals(sample("host.understood"), understood);
    }

    @Test
    void bothFormsOfARulesetGiveTheSamePolicies() throws IOException {
        for (String hook : new String[] {"input", "forward", "output", "lan"}) {
            PolicyOptions options = new PolicyOptions(hook, FIRST, false);
            assertEquals(
                    PolicyText.of(read(sample("list.nft"), options).policies().get(0)),
                    PolicyText.of(read(sample("list.json"), options).policies().get(0)),
                    hook);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp dport 22 accept | 6 | 22 | PERMIT | 3",
                "tcp dport 22 accept | 17 | 22 | DENY | 2",
                "tcp dport != 22 accept | 6 | 23 | PERMIT | 3",
                "tcp dport != 22 accept | 17 | 23 | DENY | 2",
                "meta l4proto { tcp, udp } th dport 53 accept | 17 | 53 | PERMIT | 3",
                "tcp dport vmap { 22 : accept, 23 : drop } | 6 | 24 | DENY | 2",
                "tcp dport vmap { 22 : accept, 23 : drop } | 6 | 23 | DENY | 3",
                "tcp dport vmap { 22 : continue, 23 : drop } accept | 6 | 22 | PERMIT | 3",
                "meta mark set tcp dport map { 22 : 1 } accept | 6 | 22 | PERMIT | 3",
                "meta mark set tcp dport map { 22 : 1 } accept | 6 | 23 | DENY | 2",
                "reject with tcp reset | 17 | 22 | DENY | 2",
                "limit rate 1/second accept | 6 | 22 | DEPENDS | 3",
                "meta skuid != 0 drop | 6 | 22 | DENY | 2",
                "ip6 saddr ::/0 accept | 6 | 22 | DENY | 2",
                "ct state new accept | 6 | 22 | PERMIT | 3",
                "ct state != new accept | 6 | 22 | DENY | 2",
                "tcp flags syn / syn,ack accept | 6 | 22 | PERMIT | 3",
                "tcp flags == syn,ack accept | 6 | 22 | DENY | 2",
                "iifname \"wan*\" accept | 6 | 22 | PERMIT | 3",
                "iifname != \"wan0\" accept | 6 | 22 | DENY | 2",
                "meta l4proto { 6-17 } tcp dport 53 accept | 17 | 53 | DENY | 2",
                "meta l4proto { tcp } tcp dport 53 accept | 6 | 53 | PERMIT | 3",
                "tcp dport vmap { 20-30 : accept, 31-40 : drop } | 6 | 31 | DENY | 3",
                "meta mark or 5 == 5 accept | 6 | 22 | PERMIT | 3",
                "meta mark or 5 == 0 accept | 6 | 22 | DENY | 2",
                "meta mark xor 5 or 2 and 7 == { 1, 7 } accept | 6 | 22 | PERMIT | 3",
                "meta mark & 3 xor 4 != 0 accept | 6 | 22 | PERMIT | 3",
                "meta mark and 4 0 accept | 6 | 22 | PERMIT | 3",
                "ct mark xor 1 == 3 accept | 6 | 22 | DEPENDS | 3",
                "meta mark set 1 meta mark 1 accept | 6 | 22 | PERMIT | 3",
                "meta mark 0 meta mark set 1 meta mark 1 drop; meta mark 1 meta mark set 4 accept | 6 | 22 | DENY | 3",
                "meta mark 0 meta mark set 1 return; accept | 6 | 22 | DENY | 2",
                "meta mark set ct mark and 4 meta mark { 0, 4 } accept | 6 | 22 | DEPENDS | 3",
                "ct reply l3proto ipv4 accept | 6 | 22 | DEPENDS | 3",
                "ip saddr 10.0.0.0/8 meta nfproto ipv6 tcp flags ! ack accept | 6 | 22 | DENY | 2",
                "tcp dport 22 meta l4proto udp accept | 6 | 22 | DENY | 2",
                "tcp dport vmap { 22 : accept, 22 : accept } | 6 | 22 | PERMIT | 3",
            })
    void packetsAreDecidedByTheirLine(
            String rule, int protocol, int port, Outcome outcome, int line) throws IOException {
        String text =
                "table inet t {\nchain c { type filter hook input priority 0; policy drop;\n%s\n}\n}\n"
                        .formatted(rule);
        PolicyFile file = read(text, new PolicyOptions("input", FIRST, false));
        Answer answer = Objects.requireNonNull(file.flat().judge(packet(protocol, port)));
        assertEquals(outcome + " " + line, answer.outcome() + " " + answer.rule().origin().line());
    }

    /** A clock that changes in summer was listed in either of its offsets. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "meta hour 17:00-18:30 drop | UTC | DENY",
                "meta hour 17:00-18:30 drop | +01:00 | DENY",
                "meta hour 17:00-18:30 drop | +02:00 | PERMIT",
                "meta hour 17:00-18:30 drop | Europe/Berlin | DEPENDS",
                "meta hour \"17:10\"-\"20:00\" drop | Europe/Berlin | DENY",
                "meta hour { \"10:00\", \"17:00\"-\"18:30\" } drop | UTC | DENY",
                "meta hour 63000 drop | UTC | DEPENDS",
                "meta day Monday drop | UTC | PERMIT",
                "meta day { 1-3, \"Saturday\" } drop | UTC | DENY",
                "meta day Saturday drop | +07:00 | PERMIT",
                "meta day Saturday drop | | DEPENDS",
                "meta time > \"2026-11-28\" drop | UTC | DENY",
                "meta time > \"2026-11-28\" drop | | DEPENDS",
                "meta time < \"2026-11-28 18:25\" drop | Europe/Berlin | PERMIT",
                "meta time > 1700000000 drop | | DENY",
                "meta time \"2026-11-28 17:30\" drop | UTC | DEPENDS",
            })
    void timesAreThoseOfWhoListedTheRules(String rule, @Nullable String zone, Outcome outcome)
            throws IOException {
        String text =
                "table inet t {\nchain c { type filter hook input priority 0;\n%s\n}\n}\n"
                        .formatted(rule);
        PolicyOptions options =
                new PolicyOptions("input", FIRST.at(Instant.parse("2026-11-28T17:30:00Z")), false)
                        .in(zone == null ? null : new HostZone(ZoneId.of(zone)));
        Answer answer = Objects.requireNonNull(read(text, options).flat().judge(packet(6, 22)));
        assertEquals(outcome, answer.outcome());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp dport 70000 accept | 3:11: '70000': is beyond the 16 bits",
                "tcp dport nowhere accept | 3:11: 'nowhere': is not a number",
                "tcp dport or 1 == 3 accept | 3:11: 'tcp dport | 1': is no expression that Sluice reads",
                "ct mark or here == 3 accept | 3:12: 'here': is not a number",
                "ct helper abcdefghijklmnop accept | 3:11: 'abcdefghijklmnop': is no name that nft takes",
                "ct helper { abcdefghijklmnop } accept | 3:13: 'abcdefghijklmnop': is no name that nft",
                "ct reply l3proto foobar accept | 3:18: 'foobar': is not a number",
                "ip saddr 10.0.0.0/33 accept | 3:19: '33': is no prefix length",
                "ip saddr 10.0.0.300 accept | 3:10: '10.0.0.300': is not an IPv4 address",
                "ip saddr 10.0.0.1 ip6 daddr ::1 accept | 3:19: 'ip6 daddr': is of IPv6",
                "tcp dport 22 udp sport 53 accept | 3:14: 'udp sport': asks for another protocol",
                "jump nowhere | 3:6: 'nowhere': is no chain of table t",
                "jump c | 3:6: 'c': is a chain with a hook",
                "ip saddr @nowhere drop | 3:10: '@nowhere': is no set of table t",
                "accept tcp dport 22 | 3:8: 'tcp dport 22': stands behind a verdict",
                "bogus 22 accept | 3:1: 'bogus': begins no statement that Sluice reads",
                "tcp bogus 22 accept | 3:5: 'bogus': is no field of tcp",
                "tcp dport | 3:10: 'the end of the line': stands where nft wants the value",
                "tcp dport { 22, 80 accept | 3:20: 'accept': stands where nft wants }",
                "ip saddr $NONE accept | 3:11: 'NONE': is a variable that nothing above defines",
                "log prefix \"x accept | 3:12: '\"x accept': has no closing quote",
                "xt match recent accept | 3:1: 'xt type match name recent': is of iptables",
                "meta l4proto { 6-17, 6 } tcp dport 5 accept | 3:26: 'tcp dport': asks for one protocol behind a set",
                "meta l4proto { udp, tcp } reject with tcp reset | 3:27: 'reject",
                "meta nfproto { ipv6, ipv4 } ip saddr 1.1.1.1 drop | 3:29: 'ip saddr': asks for one protocol",
                "meta nfproto ipv6 ip saddr 1.1.1.1 drop | 3:19: 'ip saddr': is of IPv4",
                "tcp dport 22 meta l4proto udp tcp sport 5 drop | 3:31: 'tcp sport': asks for",
                "tcp dport 22 meta l4proto udp udp sport 5 drop | 3:31: 'udp sport': asks for one",
                "meta l4proto { tcp } udp dport 5 accept | 3:22: 'udp dport': asks for another protocol",
                "tcp dport vmap { 22 : accept, 22 : drop } | 3:31: '22': overlaps with the element 22",
                "tcp dport vmap { 20-30 : accept, 25 : drop } | 3:34: '25': overlaps with the element 20-30",
                "iifname vmap { \"eth*\" : accept, \"eth0\" : drop } | 3:33: 'eth0': overlaps with the element eth*",
                "ip saddr . tcp dport vmap { 1.1.1.1 . 5 : accept, 1.1.1.1 . 5 : drop } | 3:51: '1.1.1.1 . 5': overlaps",
                "ip saddr . tcp dport { 10.0.0.0/8 . 5, 10.1.0.0/16 . 1-9 } | taken",
                "ip saddr . tcp dport { 10.0.0.0/8 . 1-9, 10.1.0.0/16 . 5 } | 3:42: '10.1.0.0/16 . 5': overlaps",
                "dnat to 10.0.0.1 | 3:1: 'dnat addr 10.0.0.1': has an address of no family in a table of inet",
                "ip daddr 10.0.0.9 dnat to 10.0.0.1 | taken",
                "redirect to :80 | 3:1: 'redirect port 80': has a port where the rule names no protocol",
                "tcp dport 8080 redirect to 80 | taken",
                "reject with icmpx nowhere | 3:19: 'nowhere': is not a number",
                "log level info group 2 | 3:1: 'log': has options of the kernel's log and of a group",
                "meta mark set { 1, 2 } | 3:15: '{': stands where nft wants one value",
                "limit rate 99999 mbytes/week | 3:12: '99999': is a rate beyond what the kernel counts",
                "ct original mark 1 drop | 3:1: 'ct original mark': is of the whole connection",
                "ct saddr 1.2.3.4 drop | 3:1: 'ct saddr': is of one direction",
                "fib saddr . daddr oif 0 drop | 3:1: 'fib",
                "dup to 10.0.0.1 | 3:1: 'dup addr 10.0.0.1': is no statement of a table of inet",
                "tcp option bogus exists drop | 3:12: 'bogus': is no option",
                "tcp option maxseg size set 70000 | 3:28: '70000': is beyond the 16 bits",
                "tcp option maxseg size set rt mtu | taken",
                "}; set s { type ipv4_addr; }; chain d { add @s { ip6 saddr } | 3:45: '@s': is a set of ipv4_addr",
                "}; set s { type ipv4_addr; }; chain d { add @s { ip saddr . tcp dport } | 3:45: '@s': has keys of 1",
            })
    void refusalNamesLineColumnAndWords(String rule, String expected) {
        String text =
                "table inet t {\nchain c { type filter hook input priority 0; policy drop;\n%s\n}\n}\n"
                        .formatted(rule);
        if (expected.equals("taken")) {
            assertDoesNotThrow(() -> read(text, new PolicyOptions("input", FIRST, false)));
            return;
        }
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () -> read(text, new PolicyOptions("input", FIRST, false)));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(":" + expected), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "table ip t { chain c { }; } | taken",
                "table ip t { chain c { } } | '}': stands behind a statement without its end",
                "table ip t { chain c { policy drop; policy drop; }; } | 'policy': is a second policy",
                "table ip t { chain c { reject with icmpx no-route; }; } | is no answer in a table of ip",
                "table ip t { chain ingress { }; } | taken",
                "table ip t { chain fwd { }; } | 'fwd': is a word of nft",
                "table ip t { map m { type ipv4_addr : mark; elements = { 1.1.1.1 : ::1 }; }; } | '::1'",
                "table ip t { ct helper h { type ftp protocol tcp; }; } | 'ftp': stands where nft wants",
            })
    void textsAreTakenAsNftTakesThem(String text, String expected) throws IOException {
        assertEquals("taken", taken(text, expected));
        assertEquals("taken", taken("# of Unix\n" + text, expected));
        String windows = "# of Windows\r\ntable ip t { chain c { }; }\r\n";
        assertEquals("taken", taken(windows, "is one of Windows, which nft refuses"));
        String most = "a".repeat(128);
        String comment = "table ip t { chain c { accept comment \"%s\"; }; }";
        assertEquals("taken", taken(comment.formatted(most), "taken"));
        assertEquals(
                "taken", taken(comment.formatted(most + "a"), "is a comment of more than 128"));
    }

    /** Returns "taken" where a text is taken or refused as expected, else what is wrong. */
    private String taken(String text, String expected) throws IOException {
        try {
            read(text + "\n", PolicyOptions.NONE);
            return expected;
        } catch (SluiceException e) {
            String message = String.valueOf(e.getMessage());
            boolean none = message.contains("holds no chain that decides");
            return message.contains(expected) || none && expected.equals("taken")
                    ? "taken"
                    : message;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "set s { type ipv4_addr; flags interval; elements = { 10.0.0.0/8, 10.1.0.0/16 }; } | overlaps with the element",
                "set s { type ipv4_addr; flags interval; auto-merge; elements = { 10.0.0.0/8, 10.1.0.0/16 }; } | taken",
                "set s { type ipv4_addr; flags interval; elements = { 10.0.0.0/8, 10.0.0.0/8 }; } | taken",
                "map s { type inet_service : verdict; elements = { 22 : accept, 22 : drop }; } | overlaps with the element 22",
                "map s { type inet_service : verdict; elements = { 22 : accept, 22 : accept }; } | taken",
            })
    void overlappingElementsAreRefusedAsByNft(String set, String expected) throws IOException {
        String text =
                "table inet t {\n%s\nchain c { type filter hook input priority 0; policy drop;\n}\n}\n"
                        .formatted(set);
        assertTrue(outcomeOf(text).contains(expected), outcomeOf(text));
    }

    @Test
    void deepAndLargeValuesAreRefusedWithoutACrash() throws IOException {
        String chain = "table inet t {\nchain c { type filter hook input priority 0\n%s\n}\n}\n";
        String ors = "meta mark " + "1|".repeat(20000) + "1 accept";
        assertTrue(outcomeOf(chain.formatted(ors)).contains("300 deep"));
        String hashes = "jhash ".repeat(20000) + "ip saddr mod 2 0 accept";
        assertTrue(outcomeOf(chain.formatted(hashes)).contains("hashes in one another"));
        StringBuilder laughs = new StringBuilder("define a0 = { 1, 2 }\n");
        for (int i = 1; i < 40; i++) {
            laughs.append("define a%d = { $a%d, $a%d }\n".formatted(i, i - 1, i - 1));
        }
        laughs.append(chain.formatted("tcp dport $a39 accept"));
        assertTrue(outcomeOf(laughs.toString()).contains("values of one command"));
    }

    /** The refusal of a text, or {@code taken}. */
    private String outcomeOf(String text) throws IOException {
        try {
            read(text, new PolicyOptions("input", FIRST, false));
            return "taken";
        } catch (SluiceException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void packetWithoutHookIsJudgedOnEachWay() throws IOException {
        PolicyFile file = read(sample("list.nft"), new PolicyOptions(null, FIRST, false));
        List<String> ways = file.policies().stream().map(Policy::name).toList();
        assertEquals(List.of("input", "forward", "output"), ways);
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () -> read(sample("list.nft"), new PolicyOptions("none", FIRST, false)));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("#input, ") && message.contains("#forward, "), message);
    }

    @Test
    void natAsDockerAndOpenWrtListItIsRead() throws IOException {
        String text =
                """
                table ip nat {
                  chain out { type nat hook output priority dstnat; tcp dport 53 redirect to 53 comment "a"; }
                  chain in { type nat hook input priority srcnat; }
                  chain post { type nat hook postrouting priority srcnat; masquerade comment "b"; }
                  chain filter { type filter hook output priority 0; policy drop; }
                }
                """;
        PolicyFile file = read(text, new PolicyOptions("output", FIRST, false));
        Answer answer = Objects.requireNonNull(file.flat().judge(packet(6, 22)));
        assertEquals(Outcome.DENY, answer.outcome());
    }

    @Test
    void hooksOfIptablesNameTheirs() throws IOException {
        PolicyOptions upper = new PolicyOptions("INPUT", FIRST, false);
        assertEquals("input", read(sample("list.nft"), upper).policies().get(0).name());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bridge | forward priority filter",
                "bridge | input priority -200",
                "netdev | ingress device wan0 priority 0",
                "inet | ingress device wan0 priority 0",
            })
    void chainsBesideAPacketsWayAreReadAndWarnedOf(String family, String hook) throws IOException {
        String text =
                "table %s side {\n chain c {\n type filter hook %s; policy drop;\n }\n}\n"
                                .formatted(family, hook)
                        + "table ip t {\n chain in {\n type filter hook input priority 0;\n }\n}\n";
        PolicyFile file = read(text, new PolicyOptions("input", Assumptions.NONE, false));
        assertEquals(1, file.warnings().size(), file.warnings().toString());
        String warning = file.warnings().get(0);
        assertTrue(warning.contains(":2: is a chain at " + hook.split(" ")[0]), warning);
        assertTrue(warning.contains("which judges no packet here"), warning);
        assertEquals(1, file.policies().get(0).stages().size());
    }

    @Test
    void skippedRuleMakesItsRegionDepend() throws IOException {
        String text =
                "table inet t {\nchain c { type filter hook input priority 0; policy drop;\ntcp dport 22 bogus 1 accept\n}\n}\n";
        PolicyFile file = read(text, new PolicyOptions("input", FIRST, true));
        assertEquals(Outcome.DEPENDS, outcome(file, packet(6, 22)));
        assertEquals(Outcome.DENY, outcome(file, packet(6, 23)));
        assertEquals(1, file.warnings().stream().filter(w -> w.contains("skipped: ")).count());
    }

    @ParameterizedTest
    @CsvSource({
        "tcp sport != 40000 tcp dport != 22",
        "tcp dport != { 22 } ip ttl 64 tcp sport != 40000",
    })
    void twoNegatedNeighboursAreComparedAtOnceOrEach(String matches) throws IOException {
        String text =
                "table ip t {\nchain c { type filter hook input priority 0; policy drop;\n%s accept\n}\n}\n"
                        .formatted(matches);
        PolicyFile file = read(text, new PolicyOptions("input", FIRST, false));
        assertEquals(Outcome.DENY, outcome(file, packet(6, 22)));
        assertEquals(Outcome.DEPENDS, outcome(file, packet(6, 23)));
        int[] other = packet(6, 23);
        Field.SRC_PORT.put(other, 40001);
        assertEquals(Outcome.PERMIT, outcome(file, other));
    }

    @ParameterizedTest
    @CsvSource({
        "tcp sport != 22 tcp dport != 22 tcp sport != 23, 6, PERMIT",
        "udp sport != 53 udp dport != 53 udp length != 20, 17, DEPENDS",
        "tcp sport != 22 tcp dport != 22 ip saddr 192.0.2.0/24 tcp sport != 23, 6, DENY",
    })
    void moreNegatedNeighboursAreRead(String matches, int protocol, Outcome expected)
            throws IOException {
        String text =
                "table ip t {\nchain c { type filter hook input priority 0; policy drop;\n%s accept\n}\n}\n"
                        .formatted(matches);
        PolicyFile file = read(text, new PolicyOptions("input", FIRST, false));
        assertEquals(expected, outcome(file, packet(protocol, 80)));
    }

    @Test
    void includedFilesAreReadWithTheirOwnLines() throws IOException {
        Files.writeString(folder.resolve("more.nft"), "# more\ntcp dport 22 accept\n");
        String text =
                "table inet t {\nchain c { type filter hook input priority 0; policy drop;\ninclude \"more.nft\"\n}\n}\n";
        PolicyFile file = read(text, new PolicyOptions("input", FIRST, false));
        Answer answer = Objects.requireNonNull(file.flat().judge(packet(6, 22)));
        assertEquals(2, answer.rule().origin().line());
        assertTrue(answer.rule().origin().file().endsWith("more.nft"));
    }

    private static @Nullable Outcome outcome(PolicyFile file, int[] packet) {
        Answer answer = file.flat().judge(packet);
        return answer == null ? null : answer.outcome();
    }

    private static String sample(String name) throws IOException {
        return Files.readString(TestData.inCheckout("test-data/nft/" + name));
    }

    private PolicyFile read(String text, PolicyOptions options) throws IOException {
        return PolicyFile.read(Files.writeString(folder.resolve("ruleset"), text), options);
    }

    private static int[] packet(int protocol, int port) {
        int[] words = new int[HeaderWord.COUNT];
        Field.ETH_TYPE.put(words, 0x0800);
        Field.IP_VERSION.put(words, Field.VERSION_4);
        Field.IPV4_SRC.put(words, 0x0a010203);
        Field.IPV4_DST.put(words, 0x0a010204);
        Field.IP_PROTO.put(words, protocol);
        Field.SRC_PORT.put(words, 40000);
        Field.DST_PORT.put(words, port);
        Field.TCP_FLAGS.put(words, protocol == 6 ? 2 : 0);
        Field.TTL.put(words, 64);
        return words;
    }
}
