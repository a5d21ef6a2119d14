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
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random networks of Azure, judged packet by packet as its documentation says. */
final class RandomAzureTest {
    private static final int NETWORKS = 150;
    private static final int PACKETS = 150;
    private static final List<String> ADDRESSES =
            List.of(
                    "10.0.0.4",
                    "10.0.0.5",
                    "10.0.1.4",
                    "10.0.1.5",
                    "198.51.100.1",
                    "203.0.113.9",
                    "10.9.0.1",
                    "168.63.129.16");
    private static final List<String> ENDS =
            List.of(
                    "*",
                    "*",
                    "VirtualNetwork",
                    "Internet",
                    "Storage",
                    "asg",
                    "10.0.1.0/24",
                    "198.51.100.0/24",
                    "AzureLoadBalancer");

    @TempDir Path folder;

    /** Mistakes of a reader, each of which some packet must tell of. */
    private enum Mistake {
        NONE,
        PRIORITY_REVERSED,
        SUBNETS_ALONE,
        INTERFACES_ALONE,
        EITHER_GROUP,
        NO_DEFAULTS,
        NETWORK_MEANS_ANY,
        INTERNET_MEANS_ANY,
        ASG_MEANS_ANY,
        SOURCE_PORTS_IGNORED,
        REPLIES_ARE_JUDGED,
        PLATFORM_IS_JUDGED
    }

    private record Rule(
            boolean out,
            int priority,
            boolean allow,
            int protocol,
            String source,
            String destination,
            int sourcePort,
            int port) {}

    private record Packet(
            String from, String to, int protocol, int source, int port, boolean reply) {}

    /** Rules of three groups, groups of two subnets and four interfaces; -1: none. */
    private record Network(List<List<Rule>> groups, int[] ofSubnet, int[] ofNic, int asg) {}

    @Test
    void everyPacketIsDecidedAsTheDocumentationSays() throws IOException {
        Random random = new Random(11);
        Set<Mistake> missed = EnumSet.allOf(Mistake.class);
        for (int i = 0; i < NETWORKS; i++) {
            Network network = network(random);
            Path file = Files.writeString(folder.resolve("azure" + i), text(network, i % 2 == 0));
            FlatPolicy first = read(file, ConnectionState.NEW);
            FlatPolicy later = read(file, ConnectionState.ESTABLISHED);
            for (int j = 0; j < PACKETS; j++) {
                Packet packet = packet(random);
                boolean passes = judge(network, packet, Mistake.NONE);
                int[] header =
                        AddressedPacket.header(
                                packet.from,
                                packet.protocol,
                                packet.to,
                                packet.source,
                                packet.port);
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
        if (packet.reply && mistake != Mistake.REPLIES_ARE_JUDGED) {
            return true;
        }
        return passes(network, packet, true, mistake) && passes(network, packet, false, mistake);
    }

    private static boolean passes(Network network, Packet packet, boolean out, Mistake mistake) {
        int nic = ADDRESSES.indexOf(out ? packet.from : packet.to);
        boolean platform = out && packet.to.equals("168.63.129.16");
        if (nic > 3 || platform && mistake != Mistake.PLATFORM_IS_JUDGED) {
            return true;
        }
        int ofNic = mistake == Mistake.SUBNETS_ALONE ? -1 : network.ofNic[nic];
        int ofSubnet = mistake == Mistake.INTERFACES_ALONE ? -1 : network.ofSubnet[nic / 2];
        boolean one = ofNic < 0 || allows(network, ofNic, packet, out, mistake);
        boolean other = ofSubnet < 0 || allows(network, ofSubnet, packet, out, mistake);
        return mistake == Mistake.EITHER_GROUP ? one || other : one && other;
    }

    private static boolean allows(
            Network network, int group, Packet packet, boolean out, Mistake mistake) {
        List<Rule> rules = new ArrayList<>(network.groups.get(group));
        rules.sort(Comparator.comparingInt(Rule::priority));
        if (mistake == Mistake.PRIORITY_REVERSED) {
            Collections.reverse(rules);
        }
        for (Rule rule : rules) {
            if (rule.out == out
                    && (rule.protocol < 0 || rule.protocol == packet.protocol)
                    && is(network, rule.source, packet.from, mistake)
                    && is(network, rule.destination, packet.to, mistake)
                    && (rule.sourcePort < 0
                            || rule.sourcePort == packet.source
                            || mistake == Mistake.SOURCE_PORTS_IGNORED)
                    && (rule.port < 0 || rule.port == packet.port)) {
                return rule.allow;
            }
        }
        if (mistake == Mistake.NO_DEFAULTS) {
            return false;
        }
        boolean within =
                is(network, "VirtualNetwork", packet.from, mistake)
                        && is(network, "VirtualNetwork", packet.to, mistake);
        return within
                || (out
                        ? is(network, "Internet", packet.to, mistake)
                        : packet.from.equals("168.63.129.16"));
    }

    private static boolean is(Network network, String end, String address, Mistake mistake) {
        boolean host = address.equals("168.63.129.16");
        return switch (end) {
            case "*" -> true;
            case "VirtualNetwork" ->
                    mistake == Mistake.NETWORK_MEANS_ANY || address.startsWith("10.0.") || host;
            case "Internet" ->
                    mistake == Mistake.INTERNET_MEANS_ANY || !address.startsWith("10.") && !host;
            case "AzureLoadBalancer" -> host;
            case "Storage" -> address.startsWith("203.0.113.");
            case "asg" ->
                    mistake == Mistake.ASG_MEANS_ANY || address.equals(ADDRESSES.get(network.asg));
            default -> AddressedPacket.isIn(address, end);
        };
    }

    private static Network network(Random random) {
        List<List<Rule>> groups = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<Rule> rules = new ArrayList<>();
            for (int j = 0; j < 6; j++) {
                int[] protocols = {-1, 6, 17};
                int protocol = protocols[random.nextInt(3)];
                boolean ports = protocol >= 0;
                rules.add(
                        new Rule(
                                random.nextBoolean(),
                                100 + j,
                                random.nextBoolean(),
                                protocol,
                                ENDS.get(random.nextInt(ENDS.size())),
                                ENDS.get(random.nextInt(ENDS.size())),
                                ports && random.nextInt(4) == 0 ? 40_000 : -1,
                                ports && random.nextBoolean() ? 80 + random.nextInt(2) : -1));
            }
            Collections.shuffle(rules, random);
            groups.add(rules);
        }
        int[] ofSubnet = {random.nextInt(4) - 1, random.nextInt(4) - 1};
        int[] ofNic = new int[4];
        for (int i = 0; i < 4; i++) {
            ofNic[i] = random.nextInt(4) - 1;
        }
        return new Network(groups, ofSubnet, ofNic, random.nextInt(4));
    }

    private static Packet packet(Random random) {
        return new Packet(
                ADDRESSES.get(random.nextInt(ADDRESSES.size())),
                ADDRESSES.get(random.nextInt(ADDRESSES.size())),
                random.nextBoolean() ? 6 : 17,
                40_000 + random.nextInt(2),
                79 + random.nextInt(4),
                random.nextInt(8) == 0);
    }

    private static String text(Network network, boolean ofRest) {
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String rules =
                    network.groups.get(i).stream()
                            .map(rule -> rule(rule, ofRest))
                            .collect(Collectors.joining(",\n"));
            objects.add(
                    object(
                            ofRest,
                            "g" + i,
                            "networkSecurityGroups",
                            "\"securityRules\": [%s]".formatted(rules)));
        }
        for (int i = 0; i < 4; i++) {
            String own =
                    "\"privateIPAddress\": \"%s\", \"subnet\": {\"id\": \"/x/virtualNetworks/v/subnets/s%d\"}%s"
                            .formatted(
                                    ADDRESSES.get(i),
                                    i / 2,
                                    i == network.asg
                                            ? ", \"applicationSecurityGroups\": [{\"id\": \"/x/a\"}]"
                                            : "");
            objects.add(
                    object(
                            ofRest,
                            "n" + i,
                            "networkInterfaces",
                            "\"ipConfigurations\": [%s]%s"
                                    .formatted(
                                            ofRest
                                                    ? "{\"properties\": {%s}}".formatted(own)
                                                    : "{%s}".formatted(own),
                                            group(network.ofNic[i]))));
        }
        List<String> subnets = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String own =
                    "\"addressPrefix\": \"10.0.%d.0/24\"%s"
                            .formatted(i, group(network.ofSubnet[i]));
            subnets.add(
                    "{\"name\": \"s%d\", %s}"
                            .formatted(i, ofRest ? "\"properties\": {%s}".formatted(own) : own));
        }
        objects.add(
                object(
                        ofRest,
                        "v",
                        "virtualNetworks",
                        "\"addressSpace\": {\"addressPrefixes\": [\"10.0.0.0/16\"]}, \"subnets\": [%s]"
                                .formatted(String.join(", ", subnets))));
        return "[%s]\n{\"changeNumber\": 1, \"values\": [{\"name\": \"Storage\", \"properties\": {\"addressPrefixes\": [\"203.0.113.0/24\"]}}]}\n"
                .formatted(String.join(",\n", objects));
    }

    private static String object(boolean ofRest, String name, String type, String fields) {
        return "{\"name\": \"%s\", \"id\": \"/x/%s/%s\", \"type\": \"Microsoft.Network/%s\", %s}"
                .formatted(
                        name,
                        type,
                        name,
                        type,
                        ofRest ? "\"properties\": {%s}".formatted(fields) : fields);
    }

    private static String group(int number) {
        return number < 0
                ? ""
                : ", \"networkSecurityGroup\": {\"id\": \"/x/networkSecurityGroups/g%d\"}"
                        .formatted(number);
    }

    private static String rule(Rule rule, boolean ofRest) {
        String fields =
                "\"priority\": %d, \"direction\": \"%s\", \"access\": \"%s\", \"protocol\": \"%s\", %s, %s, \"sourcePortRange\": \"%s\", \"destinationPortRange\": \"%s\""
                        .formatted(
                                rule.priority,
                                rule.out ? "Outbound" : "Inbound",
                                rule.allow ? "Allow" : "Deny",
                                rule.protocol < 0 ? "*" : rule.protocol == 6 ? "Tcp" : "Udp",
                                end("source", rule.source),
                                end("destination", rule.destination),
                                rule.sourcePort < 0 ? "*" : rule.sourcePort,
                                rule.port < 0 ? "*" : rule.port);
        return "{\"name\": \"r\", %s}"
                .formatted(ofRest ? "\"properties\": {%s}".formatted(fields) : fields);
    }

    private static String end(String side, String end) {
        return end.equals("asg")
                ? "\"%sApplicationSecurityGroups\": [{\"id\": \"/x/a\"}]".formatted(side)
                : "\"%sAddressPrefix\": \"%s\"".formatted(side, end);
    }
}
