package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.kubernetes.RandomCluster.map;

import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Policies of Cilium for a {@link RandomCluster}, and a slow judge of packets by them. */
final class RandomCilium {
    private static final List<String> ENTITIES =
            List.of("all", "world", "cluster", "host", "remote-node");

    /** Mistakes of a reader of Cilium's policies, each of which some packet must tell of. */
    enum Mistake {
        NONE,
        DENY_IGNORED,
        DENY_LAST,
        DENY_DOES_NOT_ISOLATE,
        EMPTY_RULE_ALLOWS_ALL,
        EMPTY_LIST_IS_ANYBODY,
        NO_ENDS_ARE_NOBODY,
        NAMESPACE_IGNORED,
        CLUSTERWIDE_IS_OF_DEFAULT,
        BLOCKS_MEAN_PODS,
        EXCEPT_IGNORED,
        WORLD_IS_ALL,
        HOST_IS_EVERY_NODE,
        ANY_PROTOCOL_IS_TCP,
        END_PORT_IGNORED,
        PORTS_IGNORED,
        DEFAULT_DENY_FORCED,
        FIRST_SPEC_ALONE
    }

    private enum Fit {
        NO,
        MAYBE,
        YES
    }

    final RandomCluster cluster;
    private final Random random;
    private final List<Map<String, Object>> policies = new ArrayList<>();

    RandomCilium(long seed) {
        cluster = new RandomCluster(seed);
        random = new Random(seed);
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            boolean isClusterwide = random.nextInt(3) == 0;
            Map<String, Object> metadata = map("name", "c" + i);
            if (!isClusterwide) {
                metadata.put("namespace", "ns" + random.nextInt(2));
            }
            List<Object> specs = new ArrayList<>(List.of(spec(isClusterwide)));
            if (random.nextInt(3) == 0) {
                specs.add(spec(isClusterwide));
            }
            Map<String, Object> object =
                    map(
                            "apiVersion",
                            "cilium.io/v2",
                            "kind",
                            isClusterwide
                                    ? "CiliumClusterwideNetworkPolicy"
                                    : "CiliumNetworkPolicy",
                            "metadata",
                            metadata,
                            "specs",
                            specs);
            cluster.objects.add(object);
            policies.add(object);
        }
    }

    private Map<String, Object> spec(boolean isClusterwide) {
        Map<String, Object> spec = map("endpointSelector", cluster.selector("app", "tier"));
        for (Direction direction : Direction.values()) {
            for (String suffix : List.of("", "Deny")) {
                if (random.nextInt(suffix.isEmpty() ? 3 : 4) < 2 - suffix.length() / 4) {
                    List<Object> rules = new ArrayList<>();
                    for (int r = random.nextInt(2); r >= 0; r--) {
                        rules.add(rule(direction, !suffix.isEmpty(), isClusterwide));
                    }
                    spec.put(direction.field + suffix, rules);
                }
            }
        }
        if (random.nextInt(4) == 0) {
            spec.put("enableDefaultDeny", map("ingress", false));
        }
        return spec;
    }

    private Map<String, Object> rule(Direction direction, boolean denies, boolean isClusterwide) {
        Map<String, Object> rule = map();
        int kind = random.nextInt(7);
        switch (kind) {
            case 0, 1 -> {
                Map<String, Object> pods = cluster.selector("app", "tier");
                if (isClusterwide && pods.isEmpty()) {
                    pods.put("matchLabels", map("app", "1"));
                }
                if (random.nextInt(3) == 0) {
                    pods.put("matchLabels", map("k8s:io.kubernetes.pod.namespace", "ns1"));
                }
                rule.put(direction.peers + "Endpoints", List.of(pods));
            }
            case 2 -> rule.put(direction.peers + "CIDR", List.of("192.0.2.0/24", "10.0.0.0/8"));
            case 3 ->
                    rule.put(
                            direction.peers + "CIDRSet",
                            List.of(map("cidr", "0.0.0.0/0", "except", List.of("192.0.2.128/25"))));
            case 4 ->
                    rule.put(
                            direction.peers + "Entities",
                            List.of(ENTITIES.get(random.nextInt(ENTITIES.size()))));
            case 5 -> rule.put(direction.peers + "Endpoints", List.of());
            default -> {
                // No ends.
            }
        }
        if (random.nextInt(3) > 0 || denies && (kind == 6 || kind == 5)) {
            Map<String, Object> port =
                    map("port", kind == 4 || random.nextBoolean() ? "81" : "web");
            if (random.nextBoolean()) {
                port.put("protocol", List.of("TCP", "UDP", "ANY").get(random.nextInt(3)));
            }
            if (port.get("port").equals("81") && random.nextBoolean()) {
                port.put("endPort", 82);
            }
            rule.put("toPorts", List.of(map("ports", List.of(port))));
        }
        return rule;
    }

    /** The outcome of a packet that is the first of its connection. */
    Outcome judge(ClusterJudge.Packet packet, Mistake mistake) {
        Outcome egress = new Judge(packet, mistake, Direction.EGRESS).stage();
        Outcome ingress = new Judge(packet, mistake, Direction.INGRESS).stage();
        if (egress == Outcome.DENY || ingress == Outcome.DENY) {
            return Outcome.DENY;
        }
        return egress == Outcome.DEPENDS ? egress : ingress;
    }

    /** Judge of one packet in one direction. */
    private final class Judge {
        private final ClusterJudge.Packet packet;
        private final Mistake mistake;
        private final Direction direction;
        private final String own;
        private final String peer;

        Judge(ClusterJudge.Packet packet, Mistake mistake, Direction direction) {
            this.packet = packet;
            this.mistake = mistake;
            this.direction = direction;
            boolean out = direction == Direction.EGRESS;
            own = out ? packet.from() : packet.to();
            peer = out ? packet.to() : packet.from();
        }

        Outcome stage() {
            Map<String, Object> pod = podAt(own);
            if (pod == null
                    || own.equals(peer)
                    || direction == Direction.INGRESS && peer.equals(host(pod))) {
                return Outcome.PERMIT;
            }
            Fit allowed = Fit.NO;
            Fit denied = Fit.NO;
            boolean isolated = false;
            for (Map<String, Object> policy : policies) {
                List<Map<String, Object>> specs = ClusterJudge.maps(policy.get("specs"));
                for (Map<String, Object> spec :
                        mistake == Mistake.FIRST_SPEC_ALONE ? specs.subList(0, 1) : specs) {
                    if (!isSelected(spec.get("endpointSelector"), policy, pod)) {
                        continue;
                    }
                    List<Map<String, Object>> allowing =
                            ClusterJudge.maps(spec.get(direction.field));
                    List<Map<String, Object>> denying =
                            ClusterJudge.maps(spec.get(direction.field + "Deny"));
                    for (Map<String, Object> rule : allowing) {
                        allowed = most(allowed, fits(rule, policy, pod));
                    }
                    for (Map<String, Object> rule : denying) {
                        denied = most(denied, fits(rule, policy, pod));
                    }
                    boolean isolates =
                            !allowing.isEmpty()
                                    || !denying.isEmpty()
                                            && mistake != Mistake.DENY_DOES_NOT_ISOLATE;
                    boolean off =
                            spec.containsKey("enableDefaultDeny")
                                    && direction == Direction.INGRESS
                                    && mistake != Mistake.DEFAULT_DENY_FORCED;
                    isolated |= isolates && !off;
                }
            }
            if (mistake == Mistake.DENY_IGNORED
                    || mistake == Mistake.DENY_LAST && allowed == Fit.YES) {
                denied = Fit.NO;
            }
            boolean unknown = packet.protocol() == 132;
            boolean lower = denied == Fit.NO && !unknown && (allowed == Fit.YES || !isolated);
            boolean upper = denied != Fit.YES && (allowed != Fit.NO || !isolated);
            return lower ? Outcome.PERMIT : upper ? Outcome.DEPENDS : Outcome.DENY;
        }

        private Fit fits(
                Map<String, Object> rule, Map<String, Object> policy, Map<String, Object> pod) {
            List<Object> ends = null;
            Fit end = Fit.NO;
            for (String kind : List.of("Endpoints", "CIDR", "CIDRSet", "Entities")) {
                Object named = rule.get(direction.peers + kind);
                if (named != null) {
                    ends = ClusterJudge.list(named);
                    for (Object each : ends) {
                        end = most(end, end(kind, each, policy, pod));
                    }
                }
            }
            boolean anybody =
                    ends == null && mistake != Mistake.NO_ENDS_ARE_NOBODY
                            || ends != null
                                    && ends.isEmpty()
                                    && mistake == Mistake.EMPTY_LIST_IS_ANYBODY;
            boolean ports = rule.containsKey("toPorts");
            if (ends == null && !ports) {
                return mistake == Mistake.EMPTY_RULE_ALLOWS_ALL ? Fit.YES : Fit.NO;
            }
            end = anybody ? Fit.YES : end;
            return ports && !isPort(rule, pod) ? Fit.NO : end;
        }

        private Fit end(
                String kind, Object named, Map<String, Object> policy, Map<String, Object> pod) {
            boolean isNode = peer.startsWith("10.9.");
            Map<String, Object> other = podAt(peer);
            switch (kind) {
                case "Endpoints" -> {
                    return other != null && isPeer(named, policy, other) ? Fit.YES : Fit.NO;
                }
                case "CIDR", "CIDRSet" -> {
                    String block =
                            kind.equals("CIDR")
                                    ? named.toString()
                                    : ClusterJudge.map(named).get("cidr").toString();
                    boolean in = AddressedPacket.isIn(peer, block);
                    if (kind.equals("CIDRSet") && mistake != Mistake.EXCEPT_IGNORED) {
                        in &= !AddressedPacket.isIn(peer, "192.0.2.128/25");
                    }
                    boolean misses = other != null && mistake != Mistake.BLOCKS_MEAN_PODS;
                    return !in || misses ? Fit.NO : isNode ? Fit.MAYBE : Fit.YES;
                }
                default -> {
                    boolean isHost = peer.equals(host(pod));
                    return switch (named.toString()) {
                        case "all" -> Fit.YES;
                        case "world" ->
                                other == null && !isNode || mistake == Mistake.WORLD_IS_ALL
                                        ? Fit.YES
                                        : Fit.NO;
                        case "cluster" -> other != null || isNode ? Fit.YES : Fit.MAYBE;
                        case "host" ->
                                isHost || isNode && mistake == Mistake.HOST_IS_EVERY_NODE
                                        ? Fit.YES
                                        : Fit.NO;
                        default -> isNode && !isHost ? Fit.YES : Fit.NO;
                    };
                }
            }
        }

        private boolean isSelected(
                @Nullable Object selector, Map<String, Object> policy, Map<String, Object> pod) {
            Object namespace = ClusterJudge.map(policy.get("metadata")).get("namespace");
            if (namespace == null && mistake == Mistake.CLUSTERWIDE_IS_OF_DEFAULT) {
                namespace = "default";
            }
            return (namespace == null || namespace.equals(namespace(pod)))
                    && judge().selects(selector, labels(pod));
        }

        private boolean isPeer(
                Object selector, Map<String, Object> policy, Map<String, Object> pod) {
            Map<String, Object> labels =
                    ClusterJudge.map(ClusterJudge.map(selector).get("matchLabels"));
            Object asked = labels.get("k8s:io.kubernetes.pod.namespace");
            if (asked == null || mistake == Mistake.NAMESPACE_IGNORED) {
                return asked == null && isSelected(selector, policy, pod)
                        || asked != null && judge().selects(selector, labels(pod));
            }
            Map<String, Object> known = new HashMap<>(labels(pod));
            known.put("k8s:io.kubernetes.pod.namespace", namespace(pod));
            return judge().selects(selector, known);
        }

        private boolean isPort(Map<String, Object> rule, Map<String, Object> pod) {
            if (mistake == Mistake.PORTS_IGNORED) {
                return true;
            }
            Map<String, Object> port =
                    ClusterJudge.maps(ClusterJudge.maps(rule.get("toPorts")).get(0).get("ports"))
                            .get(0);
            Object asked =
                    port.getOrDefault(
                            "protocol", mistake == Mistake.ANY_PROTOCOL_IS_TCP ? "TCP" : "ANY");
            String protocol =
                    switch (packet.protocol()) {
                        case 6 -> "TCP";
                        case 17 -> "UDP";
                        case 132 -> "SCTP";
                        default -> "none";
                    };
            if (protocol.equals("none") || !asked.equals("ANY") && !asked.equals(protocol)) {
                return false;
            }
            if (port.get("port").equals("web")) {
                List<Map<String, Object>> owners = new ArrayList<>();
                Map<String, Object> to = podAt(packet.to());
                if (to != null) {
                    owners.add(to);
                }
                return ClusterJudge.portsAt(owners, packet.to()).stream()
                        .filter(each -> each.get("name").equals("web"))
                        .filter(each -> each.get("containerPort").equals(packet.port()))
                        .anyMatch(each -> each.getOrDefault("protocol", "TCP").equals(protocol));
            }
            int high =
                    mistake == Mistake.END_PORT_IGNORED
                            ? 81
                            : (Integer) port.getOrDefault("endPort", 81);
            return packet.port() >= 81 && packet.port() <= high;
        }

        private ClusterJudge judge() {
            return new ClusterJudge(cluster.objects, ClusterMistake.NONE);
        }
    }

    private static Fit most(Fit one, Fit other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private @Nullable Map<String, Object> podAt(String address) {
        for (Map<String, Object> each : cluster.objects) {
            if (each.get("kind").equals("Pod")
                    && ClusterJudge.map(each.get("spec")).get("hostNetwork").equals(false)
                    && ClusterJudge.addresses(each).contains(address)) {
                return each;
            }
        }
        return null;
    }

    private static String host(Map<String, Object> pod) {
        return "10.9.0." + ClusterJudge.map(pod.get("spec")).get("nodeName").toString().charAt(4);
    }

    private static Object namespace(Map<String, Object> pod) {
        return Objects.requireNonNull(ClusterJudge.map(pod.get("metadata")).get("namespace"));
    }

    private static Map<String, Object> labels(Map<String, Object> pod) {
        return ClusterJudge.map(ClusterJudge.map(pod.get("metadata")).get("labels"));
    }
}
