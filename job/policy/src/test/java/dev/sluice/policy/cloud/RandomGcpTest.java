package dev.sluice.policy.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random networks of Google Cloud, judged packet by packet as its documentation says. */
final class RandomGcpTest {
    private static final int NETWORKS = 150;
    private static final int PACKETS = 150;
    private static final List<String> ADDRESSES =
            List.of("10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "192.0.2.1", "192.0.2.200");
    private static final List<String> BLOCKS = List.of("10.0.0.0/30", "192.0.2.0/25", "0.0.0.0/0");

    @TempDir Path folder;

    /** Mistakes of a reader, each of which some packet must tell of. */
    private enum Mistake {
        NONE,
        ALLOW_WINS_TIES,
        TAGS_AND_RANGES_MUST_FIT,
        TARGETS_IGNORED,
        PRIORITY_REVERSED,
        DISABLED_COUNTS,
        EGRESS_ENDS_CLOSED,
        INGRESS_ENDS_OPEN,
        NEXT_ALLOWS,
        POLICY_COMES_LAST,
        REPLIES_ARE_JUDGED
    }

    /** A rule of the network, or of a policy; empty words are absent. */
    private record Rule(
            boolean out,
            int priority,
            String action,
            String target,
            String tag,
            String block,
            int protocol,
            int low,
            boolean disabled) {}

    private record Packet(String from, String to, int protocol, int port, boolean reply) {}

    /** Tags by address from 10.0.0.2 on, rules of the network, rules of the policy. */
    private record Network(List<Set<String>> tags, List<Rule> rules, List<Rule> policy) {}

    @Test
    void everyPacketIsDecidedAsTheDocumentationSays() throws IOException {
        Random random = new Random(7);
        Set<Mistake> missed = EnumSet.allOf(Mistake.class);
        for (int i = 0; i < NETWORKS; i++) {
            Network network = network(random);
            Path file = Files.writeString(folder.resolve("gcp" + i), text(network));
            FlatPolicy first = read(file, ConnectionState.NEW);
            FlatPolicy later = read(file, ConnectionState.ESTABLISHED);
            for (int j = 0; j < PACKETS; j++) {
                Packet packet = packet(random);
                boolean passes = judge(network, packet, Mistake.NONE);
                int[] header =
                        AddressedPacket.header(
                                packet.from, packet.protocol, packet.to, 40_000, packet.port);
                Outcome found =
                        Objects.requireNonNull((packet.reply ? later : first).judge(header))
                                .outcome();
                assertEquals(
                        passes ? Outcome.PERMIT : Outcome.DENY,
                        found,
                        "network %d, %s".formatted(i, packet));
                missed.removeIf(mistake -> judge(network, packet, mistake) != passes);
            }
        }
        assertEquals(EnumSet.of(Mistake.NONE), missed);
    }

    private static FlatPolicy read(Path file, ConnectionState state) {
        Assumptions assumed = new Assumptions(state, null, null);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false)).flat();
    }

    private static boolean judge(Network network, Packet packet, Mistake mistake) {
        return passes(network, packet, true, mistake) && passes(network, packet, false, mistake);
    }

    private static boolean passes(Network network, Packet packet, boolean out, Mistake mistake) {
        if (packet.reply && mistake != Mistake.REPLIES_ARE_JUDGED
                || tags(network, out ? packet.from : packet.to) == null) {
            return true;
        }
        boolean last = mistake == Mistake.POLICY_COMES_LAST;
        String action = first(network, last ? network.rules : network.policy, packet, out, mistake);
        if (action.equals("goto_next") && mistake == Mistake.NEXT_ALLOWS) {
            return true;
        }
        if (action.isEmpty() || action.equals("goto_next")) {
            action = first(network, last ? network.policy : network.rules, packet, out, mistake);
        }
        return switch (action) {
            case "allow" -> true;
            case "deny" -> false;
            default ->
                    out
                            ? mistake != Mistake.EGRESS_ENDS_CLOSED
                            : mistake == Mistake.INGRESS_ENDS_OPEN;
        };
    }

    /** The action of the rule of best priority; of equal ones a denial. */
    private static String first(
            Network network, List<Rule> rules, Packet packet, boolean out, Mistake mistake) {
        String action = "";
        int best = Integer.MAX_VALUE;
        for (Rule rule : rules) {
            int priority = mistake == Mistake.PRIORITY_REVERSED ? -rule.priority : rule.priority;
            String winner = mistake == Mistake.ALLOW_WINS_TIES ? "allow" : "deny";
            if (rule.out == out
                    && (!rule.disabled || mistake == Mistake.DISABLED_COUNTS)
                    && fits(network, rule, packet, mistake)
                    && (priority < best || priority == best && rule.action.equals(winner))) {
                best = priority;
                action = rule.action;
            }
        }
        return action;
    }

    private static boolean fits(Network network, Rule rule, Packet packet, Mistake mistake) {
        String own = rule.out ? packet.from : packet.to;
        String peer = rule.out ? packet.to : packet.from;
        boolean target =
                rule.target.isEmpty()
                        || mistake == Mistake.TARGETS_IGNORED
                        || Objects.requireNonNull(tags(network, own)).contains(rule.target);
        Set<String> tags = tags(network, peer);
        boolean tag = !rule.tag.isEmpty() && tags != null && tags.contains(rule.tag);
        boolean block = !rule.block.isEmpty() && AddressedPacket.isIn(peer, rule.block);
        boolean both = !rule.tag.isEmpty() && !rule.block.isEmpty();
        boolean end =
                both && mistake == Mistake.TAGS_AND_RANGES_MUST_FIT ? tag && block : tag || block;
        return target
                && end
                && (rule.protocol < 0 || rule.protocol == packet.protocol)
                && (rule.low < 0 || packet.port >= rule.low && packet.port <= rule.low + 1);
    }

    private static @Nullable Set<String> tags(Network network, String address) {
        return address.startsWith("10.0.0.")
                ? network.tags.get(Integer.parseInt(address.substring(7)) - 2)
                : null;
    }

    private static Network network(Random random) {
        List<Set<String>> tags = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            tags.add(
                    random.nextBoolean()
                            ? Set.of("a")
                            : random.nextBoolean() ? Set.of("b") : Set.of());
        }
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            rules.add(rule(random, 900 + 100 * random.nextInt(3), false));
        }
        List<Rule> policy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            policy.add(rule(random, 10 + i, true));
        }
        return new Network(tags, rules, policy);
    }

    private static Rule rule(Random random, int priority, boolean ofPolicy) {
        boolean out = random.nextBoolean();
        boolean tagged = !out && !ofPolicy && random.nextInt(3) == 0;
        String block =
                tagged && random.nextBoolean() ? "" : BLOCKS.get(random.nextInt(BLOCKS.size()));
        int protocol = random.nextInt(3) == 0 ? -1 : random.nextBoolean() ? 6 : 17;
        String action = random.nextBoolean() ? "allow" : "deny";
        return new Rule(
                out,
                priority,
                ofPolicy && random.nextInt(3) == 0 ? "goto_next" : action,
                ofPolicy || random.nextInt(3) > 0 ? "" : random.nextBoolean() ? "a" : "b",
                tagged ? random.nextBoolean() ? "a" : "b" : "",
                block,
                protocol,
                protocol < 0 || random.nextInt(3) == 0 ? -1 : 79 + random.nextInt(3),
                random.nextInt(6) == 0);
    }

    private static Packet packet(Random random) {
        String from = ADDRESSES.get(random.nextInt(ADDRESSES.size()));
        String to = ADDRESSES.get(random.nextInt(ADDRESSES.size()));
        return new Packet(
                from,
                to,
                random.nextBoolean() ? 6 : 17,
                78 + random.nextInt(5),
                random.nextInt(8) == 0);
    }

    private static String text(Network network) {
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < network.tags.size(); i++) {
            objects.add(
                    "{\"kind\": \"compute#instance\", \"tags\": {\"items\": [%s]}, \"networkInterfaces\": [{\"network\": \"x/networks/default\", \"networkIP\": \"10.0.0.%d\"}]}"
                            .formatted(quoted(network.tags.get(i)), i + 2));
        }
        for (Rule rule : network.rules) {
            objects.add(
                    "{\"kind\": \"compute#firewall\", \"name\": \"r\", \"network\": \"x/networks/default\", \"priority\": %d, \"direction\": \"%s\", \"disabled\": %s, \"%s\": [{\"IPProtocol\": \"%s\"%s}]%s%s%s}"
                            .formatted(
                                    rule.priority,
                                    rule.out ? "EGRESS" : "INGRESS",
                                    rule.disabled,
                                    rule.action.equals("allow") ? "allowed" : "denied",
                                    protocol(rule),
                                    ports(rule),
                                    list("targetTags", rule.target),
                                    list("sourceTags", rule.tag),
                                    list(
                                            rule.out ? "destinationRanges" : "sourceRanges",
                                            rule.block)));
        }
        String policy =
                network.policy.stream()
                        .map(
                                rule ->
                                        "{\"priority\": %d, \"action\": \"%s\", \"direction\": \"%s\", \"disabled\": %s, \"match\": {\"layer4Configs\": [{\"ipProtocol\": \"%s\"%s}]%s}}"
                                                .formatted(
                                                        rule.priority,
                                                        rule.action,
                                                        rule.out ? "EGRESS" : "INGRESS",
                                                        rule.disabled,
                                                        protocol(rule),
                                                        ports(rule),
                                                        list(
                                                                rule.out
                                                                        ? "destIpRanges"
                                                                        : "srcIpRanges",
                                                                rule.block)))
                        .collect(Collectors.joining(",\n"));
        objects.add(
                "{\"kind\": \"compute#firewallPolicy\", \"displayName\": \"p\", \"parent\": \"organizations/1\", \"rules\": [%s]}"
                        .formatted(policy));
        return "[" + String.join(",\n", objects) + "]\n";
    }

    private static String protocol(Rule rule) {
        return rule.protocol < 0 ? "all" : rule.protocol == 6 ? "tcp" : "17";
    }

    private static String ports(Rule rule) {
        return rule.low < 0
                ? ""
                : ", \"ports\": [\"%d\", \"%d-%d\"]".formatted(rule.low, rule.low, rule.low + 1);
    }

    private static String list(String key, String value) {
        return value.isEmpty() ? "" : ", \"%s\": [\"%s\"]".formatted(key, value);
    }

    private static String quoted(Set<String> words) {
        return words.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", "));
    }
}
