package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.kernel.PacketJudge.Judgement;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Policies and packets of one back end and version: each packet is judged by the kernel, by {@link
 * FirewallWalk}, and by each {@link FirewallMutation}.
 */
final class FirewallRun {
    private static final Path FAILURES = Path.of("target/failures");

    /** Packets that are drawn towards each mistake that no packet told of yet. */
    private static final int TELLING = 4;

    private final Backend backend;
    private final int version;
    private final int policies;
    private final int packets;
    private final Random random;
    private final FirewallCoverage coverage;

    /** How many packets told of each mistake. */
    private final Map<FirewallMutation, Integer> caught = new LinkedHashMap<>();

    private final List<String> differences = new ArrayList<>();

    /**
     * Makes a run.
     *
     * @param packets of a policy
     */
    FirewallRun(Backend backend, int version, int policies, int packets) {
        this.backend = backend;
        this.version = version;
        this.policies = policies;
        this.packets = packets;
        this.coverage = new FirewallCoverage(version);
        this.random = TestSeed.random(5200 + 10 * backend.ordinal() + version);
        FirewallMutation.all(backend, version).forEach(mutation -> caught.put(mutation, 0));
    }

    FirewallCoverage coverage() {
        return coverage;
    }

    /**
     * Judges its policies, and up to three times as many more while something is seldom.
     *
     * @param goal packets about which each match decides at each depth, in each way
     */
    void judgeAll(int goal) throws Exception {
        try (KernelNamespace namespace = KernelNamespace.open(backend, ValuePool.DEVICES)) {
            for (int i = 0; i < policies || i < 4 * policies && isLacking(goal); i++) {
                judge(namespace, RandomFirewall.draw(version, random, coverage));
            }
        }
        System.out.println(coverage.table());
        assertEquals(List.of(), differences, "policies and packets are in " + FAILURES);
        double passed = coverage.passedShare();
        assertTrue(passed > 0.2 && passed < 0.8, passed + " of all packets passed");
        assertEquals(List.of(), missed(), "no packet told of these mistakes");
    }

    private boolean isLacking(int goal) {
        return !missed().isEmpty() || !coverage.lacking(goal).isEmpty();
    }

    private List<String> missed() {
        return caught.entrySet().stream()
                .filter(entry -> entry.getValue() == 0)
                .map(entry -> entry.getKey().name())
                .toList();
    }

    private void judge(KernelNamespace namespace, GeneratedFirewall firewall) throws Exception {
        namespace.load(version, firewall.sets(), firewall.save());
        AimedPackets aimed = new AimedPackets(firewall, random);
        List<ProbePacket> packets = aimed.draw(this.packets, coverage);
        GeneratedFirewall taken = backend.taken(firewall);
        for (Map.Entry<FirewallMutation, Integer> mutant : caught.entrySet()) {
            GeneratedFirewall mutated = mutant.getKey().of(firewall);
            if (mutant.getValue() == 0 && !mutated.equals(firewall)) {
                packets.addAll(aimed.telling(mutated, TELLING));
            }
        }
        List<KernelAnswer> answers = namespace.judge(packets);
        List<Judgement> kernel =
                answers.stream().map(answer -> Judgement.of(answer, firewall)).toList();
        answers.forEach(answer -> coverage.add(firewall, answer));
        PacketJudge judge = new FirewallWalk(taken);
        for (int i = 0; i < packets.size(); i++) {
            Judgement here = judge.judge(packets.get(i));
            if (!here.equals(kernel.get(i))) {
                differ(firewall, packets.get(i), kernel.get(i), here);
            }
        }
        for (Map.Entry<FirewallMutation, Integer> mutant : caught.entrySet()) {
            GeneratedFirewall mutated = mutant.getKey().of(taken);
            if (mutant.getValue() == 0 && !mutated.equals(taken)) {
                mutant.setValue(count(new FirewallWalk(mutated), packets, kernel));
            }
        }
    }

    private static int count(
            PacketJudge mutant, List<ProbePacket> packets, List<Judgement> kernel) {
        int count = 0;
        for (int i = 0; i < packets.size(); i++) {
            count += mutant.judge(packets.get(i)).equals(kernel.get(i)) ? 0 : 1;
        }
        return count;
    }

    private void differ(
            GeneratedFirewall firewall, ProbePacket packet, Judgement kernel, Judgement here)
            throws Exception {
        String name = "iptables-%s-%d-%d.txt".formatted(backend, version, differences.size());
        differences.add(name + ": kernel " + kernel + ", here " + here);
        Files.createDirectories(FAILURES);
        Files.writeString(
                FAILURES.resolve(name),
                "%s\nkernel %s\nhere %s\n%s\n%s"
                        .formatted(packet, kernel, here, firewall.sets(), firewall.save()));
    }
}
