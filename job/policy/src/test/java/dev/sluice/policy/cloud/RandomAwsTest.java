package dev.sluice.policy.cloud;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random networks of AWS, judged packet by packet as the VPC User Guide says. */
final class RandomAwsTest {
    private static final int NETWORKS = 200;
    private static final int PACKETS = 150;
    private static final List<String> BLOCKS =
            List.of("0.0.0.0/0", "10.0.0.0/27", "10.0.0.20/32", "192.0.2.0/25", "10.0.0.4/32");

    @TempDir Path folder;

    /** Mistakes of a reader, each of which some packet must tell of. */
    private enum Mistake {
        NONE,
        ENTRIES_IN_FILE_ORDER,
        WITHIN_SUBNET_IS_JUDGED,
        FIRST_GROUP_ALONE,
        REPLIES_ARE_JUDGED,
        ACL_PASSES_REPLIES,
        REFERENCE_MEANS_ANY,
        EGRESS_IGNORED,
        ACL_ENDS_OPEN,
        ICMP_CODE_IGNORED,
        OUTSIDE_IS_JUDGED
    }

    /** A rule of a group or an entry of an ACL; type and code stand in the place of ports. */
    private record Rule(
            boolean out, int number, boolean allow, int protocol, int low, int high, String peer) {}

    private record Interface(String address, int subnet, Set<Integer> groups) {}

    private record Packet(
            String from, String to, int protocol, int source, int port, boolean reply) {}

    /** Rules of groups by group, entries of ACLs by ACL, and interfaces. */
    private record Network(
            List<List<Rule>> groups, List<List<Rule>> acls, List<Interface> interfaces) {}

    @Test
    void everyPacketIsDecidedAsTheDocumentationSays() throws IOException {
        Random random = new Random(215);
        Set<Mistake> missed = EnumSet.allOf(Mistake.class);
        int[] outcomes = new int[2];
        for (int i = 0; i < NETWORKS; i++) {
            Network network = network(random);
            Path file = Files.writeString(folder.resolve("aws" + i), text(network));
            FlatPolicy first = read(file, ConnectionState.NEW);
            FlatPolicy later = read(file, ConnectionState.ESTABLISHED);
            for (int j = 0; j < PACKETS; j++) {
                Packet packet = packet(random);
                boolean passes = judge(network, packet, Mistake.NONE);
                Outcome found =
                        Objects.requireNonNull((packet.reply ? later : first).judge(header(packet)))
                                .outcome();
                assertEquals(
                        passes ? Outcome.PERMIT : Outcome.DENY,
                        found,
                        "network %d, %s".formatted(i, packet));
                outcomes[passes ? 1 : 0]++;
                missed.removeIf(mistake -> judge(network, packet, mistake) != passes);
            }
        }
        assertEquals(EnumSet.of(Mistake.NONE), missed);
        assertTrue(Math.min(outcomes[0], outcomes[1]) > NETWORKS * PACKETS / 5);
    }

    private static FlatPolicy read(Path file, ConnectionState state) {
        Assumptions assumed = new Assumptions(state, null, null);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false)).flat();
    }

    private static int[] header(Packet packet) {
        return AddressedPacket.header(
                packet.from, packet.protocol, packet.to, packet.source, packet.port);
    }

    private static boolean judge(Network network, Packet packet, Mistake mistake) {
        return passes(network, packet, true, mistake) && passes(network, packet, false, mistake);
    }

    /** Whether a packet passes the lists of the end that sends it, or of the end that takes it. */
    private static boolean passes(Network network, Packet packet, boolean out, Mistake mistake) {
        String own = out ? packet.from : packet.to;
        String peer = out ? packet.to : packet.from;
        Interface at =
                network.interfaces.stream()
                        .filter(each -> each.address.equals(own))
                        .findFirst()
                        .orElse(null);
        if (at == null) {
            return mistake != Mistake.OUTSIDE_IS_JUDGED;
        }
        boolean within =
                AddressedPacket.isIn(peer, subnet(at.subnet))
                        && mistake != Mistake.WITHIN_SUBNET_IS_JUDGED;
        boolean seen = packet.reply && mistake == Mistake.ACL_PASSES_REPLIES;
        return (within || seen || acl(network, at, packet, peer, out, mistake))
                && (packet.reply && mistake != Mistake.REPLIES_ARE_JUDGED
                        || out && mistake == Mistake.EGRESS_IGNORED
                        || at.groups.isEmpty()
                        || groups(network, at, packet, peer, out, mistake));
    }

    private static boolean acl(
            Network network,
            Interface at,
            Packet packet,
            String peer,
            boolean out,
            Mistake mistake) {
        List<Rule> entries = new ArrayList<>(network.acls.get(at.subnet % 2));
        if (mistake != Mistake.ENTRIES_IN_FILE_ORDER) {
            entries.sort(Comparator.comparingInt(Rule::number));
        }
        for (Rule rule : entries) {
            if (rule.out == out && fits(network, rule, packet, peer, mistake)) {
                return rule.allow;
            }
        }
        return mistake == Mistake.ACL_ENDS_OPEN;
    }

    private static boolean groups(
            Network network,
            Interface at,
            Packet packet,
            String peer,
            boolean out,
            Mistake mistake) {
        return at.groups.stream()
                .limit(mistake == Mistake.FIRST_GROUP_ALONE ? 1 : at.groups.size())
                .flatMap(group -> network.groups.get(group).stream())
                .anyMatch(rule -> rule.out == out && fits(network, rule, packet, peer, mistake));
    }

    private static boolean fits(
            Network network, Rule rule, Packet packet, String peer, Mistake mistake) {
        if (rule.protocol >= 0 && rule.protocol != packet.protocol) {
            return false;
        }
        if (rule.protocol == 1) {
            boolean code =
                    rule.high < 0
                            || rule.high == packet.port
                            || mistake == Mistake.ICMP_CODE_IGNORED;
            if (rule.low >= 0 && (rule.low != packet.source || !code)) {
                return false;
            }
        } else if (rule.protocol >= 0 && (packet.port < rule.low || packet.port > rule.high)) {
            return false;
        }
        if (!rule.peer.startsWith("sg-")) {
            return AddressedPacket.isIn(peer, rule.peer);
        }
        int group = Integer.parseInt(rule.peer.substring(3));
        return mistake == Mistake.REFERENCE_MEANS_ANY
                || network.interfaces.stream()
                        .anyMatch(each -> each.groups.contains(group) && each.address.equals(peer));
    }

    private static String subnet(int number) {
        return "10.0.0.%d/28".formatted(16 * number);
    }

    private static Network network(Random random) {
        List<List<Rule>> groups = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<Rule> rules = new ArrayList<>();
            for (int j = random.nextInt(7); j > 0; j--) {
                rules.add(rule(random, 0, random.nextInt(3) == 0));
            }
            groups.add(rules);
        }
        List<List<Rule>> acls = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<Rule> entries = new ArrayList<>();
            for (int j = 1; j < 9; j++) {
                entries.add(rule(random, j, false));
            }
            entries.add(new Rule(random.nextBoolean(), 50, true, -1, 0, 0, "0.0.0.0/0"));
            Collections.shuffle(entries, random);
            acls.add(entries);
        }
        List<Interface> interfaces = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Set<Integer> of = new TreeSet<>();
            for (int j = random.nextInt(4); j > 0; j--) {
                of.add(random.nextInt(3));
            }
            interfaces.add(new Interface("10.0.0." + (16 * (i % 3) + 4 + i / 3), i % 3, of));
        }
        return new Network(groups, acls, interfaces);
    }

    private static Rule rule(Random random, int number, boolean reference) {
        String peer =
                reference
                        ? "sg-" + random.nextInt(3)
                        : BLOCKS.get(random.nextInt(3) == 0 ? 0 : random.nextInt(BLOCKS.size()));
        int[] protocols = {-1, 6, 6, 17, 1, 1};
        int protocol = protocols[random.nextInt(protocols.length)];
        int low =
                protocol == 1 ? 8 * random.nextInt(2) - random.nextInt(2) : 79 + random.nextInt(4);
        int high = protocol == 1 ? random.nextInt(3) - 1 : low + random.nextInt(3);
        low = protocol == 1 && low == 7 ? -1 : low;
        high = low < 0 ? -1 : high;
        boolean allow = number == 0 || random.nextInt(3) > 0;
        return new Rule(random.nextBoolean(), number, allow, protocol, low, high, peer);
    }

    private static Packet packet(Random random) {
        int[] protocols = {6, 6, 17, 1, 1, 47};
        int protocol = protocols[random.nextInt(protocols.length)];
        boolean ports = protocol == 6 || protocol == 17;
        String from = address(random);
        String to = address(random);
        while (to.equals(from)) {
            to = address(random);
        }
        return new Packet(
                from,
                to,
                protocol,
                ports ? 40_000 : protocol == 1 ? 8 * random.nextInt(2) : 0,
                ports ? 78 + random.nextInt(7) : protocol == 1 ? random.nextInt(2) : 0,
                random.nextInt(5) == 0);
    }

    private static String address(Random random) {
        List<String> all =
                List.of(
                        "10.0.0.4",
                        "10.0.0.5",
                        "10.0.0.20",
                        "10.0.0.21",
                        "10.0.0.36",
                        "10.0.0.9",
                        "192.0.2.1",
                        "192.0.2.200");
        return all.get(random.nextInt(all.size()));
    }

    private static String text(Network network) {
        StringBuilder text = new StringBuilder("{\"SecurityGroups\": [");
        for (int i = 0; i < network.groups.size(); i++) {
            List<Rule> rules = network.groups.get(i);
            text.append(i == 0 ? "" : ",\n")
                    .append("{\"GroupId\": \"sg-%d\", \"IpPermissions\": [".formatted(i))
                    .append(permissions(rules, false))
                    .append("], \"IpPermissionsEgress\": [")
                    .append(permissions(rules, true))
                    .append("]}");
        }
        text.append("],\n\"NetworkAcls\": [");
        for (int i = 0; i < network.acls.size(); i++) {
            text.append(i == 0 ? "" : ",\n")
                    .append("{\"NetworkAclId\": \"acl-%d\", \"Associations\": [".formatted(i))
                    .append(
                            i == 0
                                    ? "{\"SubnetId\": \"s0\"}, {\"SubnetId\": \"s2\"}"
                                    : "{\"SubnetId\": \"s1\"}")
                    .append("], \"Entries\": [")
                    .append(
                            network.acls.get(i).stream()
                                    .map(RandomAwsTest::entry)
                                    .collect(Collectors.joining(",\n")))
                    .append("]}");
        }
        text.append("],\n\"Subnets\": [");
        for (int i = 0; i < 3; i++) {
            text.append(i == 0 ? "" : ", ")
                    .append(
                            "{\"SubnetId\": \"s%d\", \"CidrBlock\": \"%s\"}"
                                    .formatted(i, subnet(i)));
        }
        text.append("],\n\"NetworkInterfaces\": [");
        for (int i = 0; i < network.interfaces.size(); i++) {
            Interface each = network.interfaces.get(i);
            text.append(i == 0 ? "" : ",\n")
                    .append("{\"NetworkInterfaceId\": \"eni-%d\", ".formatted(i))
                    .append("\"SubnetId\": \"s%d\", \"Groups\": [".formatted(each.subnet))
                    .append(
                            each.groups.stream()
                                    .map("{\"GroupId\": \"sg-%d\"}"::formatted)
                                    .collect(Collectors.joining(", ")))
                    .append("], \"PrivateIpAddress\": \"%s\"}".formatted(each.address));
        }
        return text.append("]}\n").toString();
    }

    private static String permissions(List<Rule> rules, boolean out) {
        return rules.stream()
                .filter(rule -> rule.out == out)
                .map(
                        rule ->
                                "{\"IpProtocol\": \"%s\"%s, %s}"
                                        .formatted(
                                                rule.protocol == 6 ? "tcp" : "" + rule.protocol,
                                                rule.protocol < 0
                                                        ? ""
                                                        : ", \"FromPort\": %d, \"ToPort\": %d"
                                                                .formatted(rule.low, rule.high),
                                                rule.peer.startsWith("sg-")
                                                        ? "\"UserIdGroupPairs\": [{\"GroupId\": \"%s\"}]"
                                                                .formatted(rule.peer)
                                                        : "\"IpRanges\": [{\"CidrIp\": \"%s\"}]"
                                                                .formatted(rule.peer)))
                .collect(Collectors.joining(",\n"));
    }

    private static String entry(Rule rule) {
        String ports =
                rule.protocol < 0
                        ? ""
                        : rule.protocol == 1
                                ? ", \"IcmpTypeCode\": {\"Type\": %d, \"Code\": %d}"
                                        .formatted(rule.low, rule.high)
                                : ", \"PortRange\": {\"From\": %d, \"To\": %d}"
                                        .formatted(rule.low, rule.high);
        return "{\"RuleNumber\": %d, \"Egress\": %s, \"RuleAction\": \"%s\", \"Protocol\": \"%d\", \"CidrBlock\": \"%s\"%s}"
                .formatted(
                        rule.number,
                        rule.out,
                        rule.allow ? "allow" : "deny",
                        rule.protocol,
                        rule.peer,
                        ports);
    }
}
