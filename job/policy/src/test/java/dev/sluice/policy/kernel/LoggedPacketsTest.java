package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.kernel.GeneratedFirewall.Chain;
import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.Target;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import dev.sluice.policy.logs.LogFinding;
import dev.sluice.policy.logs.LogLineException;
import dev.sluice.policy.logs.LogText;
import dev.sluice.policy.logs.LogVerifier;
import dev.sluice.policy.logs.LoggedPacket;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packets that the kernel logs reach the same rules here. Each rule of random policies logs before
 * it does what it does; the lines come from the kernel's ring buffer.
 */
class LoggedPacketsTest {
    /** Lets rules of network namespaces write to the ring buffer. */
    private static final Path ALL_NAMESPACES = Path.of("/proc/sys/net/netfilter/nf_log_all_netns");

    private static String before = "";

    private final Map<LogFinding.Kind, Integer> counts = new EnumMap<>(LogFinding.Kind.class);
    private int changed;
    private int caught;
    private int unread;

    @TempDir Path folder;

    @BeforeAll
    static void allow() throws Exception {
        KernelNamespace.require();
        if (!Files.isWritable(ALL_NAMESPACES) || run("dmesg").isEmpty()) {
            Oracle.absent("no rule of a network namespace may write to the kernel's log here");
        }
        before = Files.readString(ALL_NAMESPACES).strip();
        Files.writeString(ALL_NAMESPACES, "1\n");
    }

    @AfterAll
    static void forbid() throws Exception {
        if (!before.isEmpty()) {
            Files.writeString(ALL_NAMESPACES, before + "\n");
        }
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        return process.waitFor() == 0 ? text : "";
    }

    @Test
    void eachLogLineReachesItsRuleAndEditsAreFound() throws Exception {
        for (int version : List.of(4, 6)) {
            Random random = TestSeed.random(7190 + version);
            FirewallCoverage coverage = new FirewallCoverage(version);
            try (KernelNamespace namespace =
                    KernelNamespace.open(Backend.LEGACY, ValuePool.DEVICES)) {
                for (int i = 0; i < 12; i++) {
                    compare(namespace, RandomFirewall.draw(version, random, coverage), random, i);
                }
            }
        }
        System.out.println(counts + ", " + caught + " of " + changed + " edits found");
        int agrees = counts.getOrDefault(LogFinding.Kind.AGREES, 0);
        int depends = counts.getOrDefault(LogFinding.Kind.DEPENDS, 0);
        assertTrue(agrees > 1000 && agrees > 4 * depends, counts.toString());
        assertTrue(unread * 10 < agrees, unread + " unread");
        assertTrue(caught * 4 > changed, caught + " of " + changed);
    }

    private void compare(
            KernelNamespace namespace, GeneratedFirewall firewall, Random random, int number)
            throws Exception {
        String token =
                "s%d.%d.%d:".formatted(ProcessHandle.current().pid(), firewall.version(), number);
        String save = logging(firewall, token);
        namespace.load(firewall.version(), firewall.sets(), save);
        List<ProbePacket> packets = new AimedPackets(firewall, random).draw(150);
        namespace.judge(packets);
        String dump =
                ImportComparison.dump(Backend.LEGACY, firewall.version(), firewall.sets(), save);
        LogVerifier verifier = verifier(dump);
        List<LoggedPacket> logged = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (String line : run("dmesg").lines().filter(one -> one.contains(token)).toList()) {
            LoggedPacket packet;
            try {
                packet = LogText.parse(line);
            } catch (LogLineException e) {
                assertTrue(line.contains(" FLOWLBL=") && !line.contains("PROTO="), line);
                unread++; // ESP over IPv6
                continue;
            }
            logged.add(packet);
            LogFinding finding = verifier.verify(packet);
            counts.merge(finding.kind(), 1, Integer::sum);
            if (finding.kind().isDifference()) {
                differences.add(finding + "\n" + line);
            }
        }
        assertEquals(List.of(), differences, dump);
        edit(dump, logged, random);
    }

    /** Removes rules that decide, one after the other, and counts those of which the log tells. */
    private void edit(String dump, List<LoggedPacket> logged, Random random) throws Exception {
        List<String> lines = new ArrayList<>(dump.lines().toList());
        for (int i = 0; i < 6; i++) {
            int at = random.nextInt(lines.size());
            String line = lines.get(at);
            if (line.endsWith("-j ACCEPT")
                    || line.endsWith("-j DROP")
                    || line.contains("-j LOG --")) {
                List<String> other = new ArrayList<>(lines);
                String end = line.replaceFirst("^(-A \\S+).*", "$1 -j DROP");
                other.set(at, line.contains("-j LOG --") ? end : end + "\n" + line);
                LogVerifier edited = verifier(String.join("\n", other) + "\n");
                changed++;
                caught +=
                        logged.stream()
                                        .anyMatch(
                                                packet ->
                                                        edited.verify(packet).kind().isDifference())
                                ? 1
                                : 0;
            }
        }
    }

    private LogVerifier verifier(String dump) throws Exception {
        Path file = Files.writeString(folder.resolve("policy.save"), dump);
        try (OpenRules text = OpenRules.open(file, null)) {
            return new LogVerifier(
                    PolicyFile.list(text, PolicyOptions.NONE, true).asked(), Assumptions.NONE);
        }
    }

    /**
     * The policy, where a rule of the same conditions and a prefix of its own stands before each.
     */
    private static String logging(GeneratedFirewall firewall, String token) {
        StringBuilder text = new StringBuilder();
        int number = 0;
        for (Table table : firewall.tables()) {
            text.append('*').append(table.name()).append('\n');
            for (Chain chain : table.chains()) {
                text.append(":%s %s [0:0]\n".formatted(chain.name(), chain.policy()));
            }
            for (Chain chain : table.chains()) {
                for (Rule rule : chain.rules()) {
                    Rule log = new Rule(rule.matches(), Target.of(TargetKind.LOG));
                    text.append(
                            "-A %s%s --log-prefix \"%s%d \"\n"
                                    .formatted(chain.name(), log.text(), token, number++));
                    text.append("-A %s%s\n".formatted(chain.name(), rule.text()));
                }
            }
            text.append("COMMIT\n");
        }
        return text.toString();
    }
}
