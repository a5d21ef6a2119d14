package dev.sluice.policy.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.convert.Conversion.Target;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that are converted there and back. */
class ConversionTest {
    private static final int SETS = 40;
    private static final int PACKETS = 200;
    private static final PolicyOptions FORWARD =
            new PolicyOptions("FORWARD", new Assumptions(ConnectionState.NEW, "", ""), false);

    @TempDir Path folder;

    /** A list of filters over few addresses, ports and protocols. */
    private static String filters(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 2 + random.nextInt(12); i > 0; i--) {
            int low = random.nextInt(6);
            boolean ports = random.nextBoolean();
            text.append(
                    "@10.0.0.%d/%d 10.0.0.%d/%d 0 : 65535 %s 0x%02x/0xFF %s%n"
                            .formatted(
                                    random.nextInt(8),
                                    28 + random.nextInt(5),
                                    random.nextInt(8),
                                    28 + random.nextInt(5),
                                    ports ? low + " : " + (low + random.nextInt(6)) : "0 : 65535",
                                    ports
                                            ? (random.nextBoolean() ? 6 : 17)
                                            : 1 + random.nextInt(17),
                                    random.nextBoolean() ? "accept" : "drop"));
        }
        return text.toString();
    }

    private static int[] packet(Random random) {
        int[] words = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(words, Field.VERSION_4);
        Field.ETH_TYPE.put(words, 0x0800);
        Field.IPV4_SRC.put(words, 10 << 24 | random.nextInt(10));
        Field.IPV4_DST.put(words, 10 << 24 | random.nextInt(10));
        int protocol = new int[] {1, 6, 17, 4, 9}[random.nextInt(5)];
        Field.IP_PROTO.put(words, protocol);
        if (protocol == 6 || protocol == 17 || protocol == 1) {
            Field.SRC_PORT.put(words, random.nextInt(9));
            Field.DST_PORT.put(words, random.nextInt(12));
        }
        return words;
    }

    @ParameterizedTest
    @CsvSource({"OPENFLOW,openflow", "CLASSBENCH,classbench"})
    void filtersStayTheSameThereAndBack(Target target, String format) throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < SETS; i++) {
            Path from = Files.writeString(folder.resolve("from"), filters(random));
            Path to = convert(from, PolicyOptions.NONE, target, folder.resolve("to." + format));
            Path back = convert(to, PolicyOptions.NONE, Target.CLASSBENCH, folder.resolve("back"));
            Path flows =
                    convert(back, PolicyOptions.NONE, Target.OPENFLOW, folder.resolve("flows"));
            for (int p = 0; p < PACKETS; p++) {
                int[] packet = packet(random);
                Outcome expected = outcome(from, packet);
                assertEquals(expected, outcome(to, packet));
                assertEquals(expected, outcome(back, packet));
                assertEquals(expected, outcome(flows, packet));
            }
        }
    }

    @Test
    void filtersStayTheSameAsChainsAndBack() throws IOException {
        Random random = new Random(8);
        for (int i = 0; i < SETS; i++) {
            Path from = Files.writeString(folder.resolve("from"), filters(random));
            Path to = convert(from, PolicyOptions.NONE, Target.IPTABLES, folder.resolve("to"));
            Path back = convert(to, FORWARD, Target.OPENFLOW, folder.resolve("back"));
            for (int p = 0; p < PACKETS; p++) {
                int[] packet = packet(random);
                Outcome expected = outcome(from, packet);
                Answer answer = PolicyFile.read(to, FORWARD).flat().judge(packet);
                assertEquals(expected, answer == null ? null : answer.outcome());
                assertEquals(expected, outcome(back, packet));
            }
        }
    }

    private static Path convert(Path from, PolicyOptions options, Target target, Path to)
            throws IOException {
        try (OpenRules text = OpenRules.open(from, null)) {
            return Files.write(
                    to,
                    Conversion.of(text, SwitchPorts.NONE, options, target, true, false).lines());
        }
    }

    private static Outcome outcome(Path file, int[] packet) {
        RuleSet rules = RuleFile.read(file, null).toRuleSet("rules", 1, "drop");
        for (Rule rule : rules.rules()) {
            if (rule.match().matches(packet)) {
                return rule.action().matches("accept|NORMAL") ? Outcome.PERMIT : Outcome.DENY;
            }
        }
        return Outcome.DENY;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "priority=1,tcp,tcp_flags=+syn actions=drop | CLASSBENCH | :1: 'priority=1,tcp,tcp_flags=+syn actions=drop' cannot be said in ClassBench: it asks for tcp_flags",
                "priority=1 actions=drop | CLASSBENCH | it also decides about packets that are not IP",
                "priority=1,ip actions=controller | CLASSBENCH | its action controller neither permits nor denies",
                "priority=1,ip,nw_src=10.0.0.1/255.0.0.255 actions=drop | CLASSBENCH | the mask of nw_src is no prefix",
                "priority=1,ip,dl_vlan=7 actions=drop | IPTABLES | it asks for",
            })
    void whatAFormatCannotSayIsRefusedWithTheRule(String rule, Target target, String why)
            throws IOException {
        Path from = Files.writeString(folder.resolve("from"), rule + "\n");
        SluiceException e =
                assertThrows(
                        SluiceException.class,
                        () -> convert(from, PolicyOptions.NONE, target, folder.resolve("to")));
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
    }

    /** A mark that rules of another way ask for bears on no packet of this one. */
    @ParameterizedTest
    @CsvSource({"INPUT, IPTABLES, true", "INPUT, NFT, true", "FORWARD, IPTABLES, false"})
    void marksThatNoRuleOfThePolicyAsksForAreNoObstacle(
            String hook, Target target, boolean converted) throws IOException {
        Path from =
                Files.writeString(
                        folder.resolve("from"),
                        """
                        # Generated by iptables-save
                        *mangle
                        :PREROUTING ACCEPT [0:0]
                        -A PREROUTING -s 10.0.0.1/32 -j CONNMARK --restore-mark
                        -A PREROUTING -s 10.0.0.2/32 -j MARK --set-xmark 0x1/0x1
                        -A PREROUTING -s 10.0.0.3/32 -j DROP
                        COMMIT
                        *filter
                        :INPUT DROP [0:0]
                        :FORWARD DROP [0:0]
                        -A INPUT -p icmp -j ACCEPT
                        -A FORWARD -m mark --mark 0x1/0x1 -j ACCEPT
                        COMMIT
                        """);
        PolicyOptions way = new PolicyOptions(hook, FORWARD.assumed(), false);
        Path to = folder.resolve("to");
        if (!converted) {
            assertThrows(SluiceException.class, () -> convert(from, way, target, to));
            return;
        }
        convert(from, way, target, to);
        Random random = new Random(9);
        for (int p = 0; p < PACKETS; p++) {
            int[] packet = packet(random);
            assertEquals(
                    PolicyFile.read(from, way).flat().judge(packet).outcome(),
                    PolicyFile.read(to, way).flat().judge(packet).outcome());
        }
    }
}
