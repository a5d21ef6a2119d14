package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.kubernetes.RandomCluster.map;

import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Policies of Calico for a {@link RandomCluster}, and a slow judge of packets by them. */
final class RandomCalico {
    final RandomCluster cluster;
    private final Random random;
    private final List<Map<String, Object>> tiers = new ArrayList<>();
    private final List<Map<String, Object>> policies = new ArrayList<>();
    private final List<Map<String, Object>> sets = new ArrayList<>();

    RandomCalico(long seed) {
        cluster = new RandomCluster(seed);
        random = new Random(seed);
        cluster.addNetworkPolicies(5);
        String[] names = {"first", "second", "default"};
        for (int i = 0; i < names.length; i++) {
            Map<String, Object> spec = map("order", i == 2 ? 1_000_000 : 100 - 50 * i);
            if (random.nextBoolean() && i < 2) {
                spec.put("defaultAction", "Pass");
            }
            tiers.add(object("Tier", "", names[i], map(), spec));
        }
        sets.add(set("GlobalNetworkSet", "", "192.0.2.128/25"));
        sets.add(set("NetworkSet", "ns0", "198.51.100.1/32"));
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            boolean global = random.nextBoolean();
            Map<String, Object> spec = map("tier", names[Math.min(2, random.nextInt(4))]);
            spec.put("order", 500 + i * 37 % 7 * 300);
            spec.put("selector", selector(CalicoTables.SELECTORS));
            if (global && random.nextBoolean()) {
                spec.put("namespaceSelector", selector(CalicoTables.NAMESPACES));
            }
            if (random.nextBoolean()) {
                spec.put("types", List.of(random.nextBoolean() ? "Ingress" : "Egress"));
            }
            for (Direction direction : Direction.values()) {
                if (random.nextInt(3) > 0) {
                    List<Object> rules = new ArrayList<>();
                    for (int r = random.nextInt(3); r >= 0; r--) {
                        rules.add(rule());
                    }
                    spec.put(direction.field, rules);
                }
            }
            String kind = global ? "GlobalNetworkPolicy" : "NetworkPolicy";
            String namespace = global ? "" : "ns" + random.nextInt(2);
            policies.add(object(kind, namespace, "p" + i, map(), spec));
        }
    }

    private Map<String, Object> set(String kind, String namespace, String net) {
        return object(kind, namespace, "set", map("role", "outside"), map("nets", List.of(net)));
    }

    private Map<String, Object> object(
            String kind,
            String namespace,
            String name,
            Map<String, Object> labels,
            Map<String, Object> spec) {
        Map<String, Object> metadata = map("name", name, "labels", labels);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        Map<String, Object> object =
                map(
                        "apiVersion", "projectcalico.org/v3",
                        "kind", kind,
                        "metadata", metadata,
                        "spec", spec);
        cluster.objects.add(object);
        return object;
    }

    private String selector(Map<String, Predicate<Map<String, Object>>> from) {
        return from.keySet().stream().sorted().toList().get(random.nextInt(from.size()));
    }

    private Map<String, Object> rule() {
        String[] actions = {"Allow", "Allow", "Deny", "Pass", "Log"};
        Map<String, Object> rule = map("action", actions[random.nextInt(actions.length)]);
        switch (random.nextInt(6)) {
            case 0 -> {
                rule.put("protocol", "ICMP");
                rule.put("icmp", map("type", 8));
            }
            case 1 -> rule.put("notProtocol", "UDP");
            case 2 -> rule.put("ipVersion", 4);
            case 3, 4 -> rule.put("protocol", random.nextBoolean() ? "TCP" : 17);
            default -> {
                // Any protocol.
            }
        }
        boolean ports = rule.containsKey("protocol") && !rule.containsKey("icmp");
        if (random.nextInt(3) > 0) {
            rule.put("source", end(false));
        }
        if (random.nextInt(3) > 0 || ports) {
            rule.put("destination", end(ports));
        }
        return rule;
    }

    private Map<String, Object> end(boolean ports) {
        Map<String, Object> end = map();
        switch (random.nextInt(7)) {
            case 0 -> end.put("nets", List.of("10.0.0.0/29", "192.0.2.0/24"));
            case 1 -> end.put("notNets", List.of("10.0.0.0/30"));
            case 2 -> end.put("selector", selector(CalicoTables.SELECTORS));
            case 3 -> {
                end.put("selector", selector(CalicoTables.SELECTORS));
                end.put("namespaceSelector", selector(CalicoTables.NAMESPACES));
            }
            case 4 -> end.put("notSelector", selector(CalicoTables.SELECTORS));
            case 5 -> {
                end.put("nets", List.of("10.0.0.0/30"));
                end.put("selector", selector(CalicoTables.SELECTORS));
            }
            default -> {
                // Anybody.
            }
        }
        if (ports && random.nextBoolean()) {
            end.put(
                    random.nextInt(3) == 0 ? "notPorts" : "ports",
                    List.of(80 + random.nextInt(3), random.nextBoolean() ? "web" : "82:83"));
        }
        return end;
    }

    /**
     * The outcome of a packet that is the first of its connection; null: a NetworkPolicy leaves it
     * to the network plugin.
     */
    @Nullable Outcome judge(ClusterJudge.Packet packet, CalicoMistake mistake) {
        Judge judge = new Judge(packet, mistake);
        Boolean egress = judge.stage(Direction.EGRESS);
        Boolean ingress = judge.stage(Direction.INGRESS);
        if (judge.isUnclear) {
            return null;
        }
        if (Boolean.FALSE.equals(egress) || Boolean.FALSE.equals(ingress)) {
            return Outcome.DENY;
        }
        return egress == null || ingress == null ? Outcome.DEPENDS : Outcome.PERMIT;
    }

    /** Judge of one packet. */
    private final class Judge {
        private final ClusterJudge.Packet packet;
        private final CalicoMistake mistake;
        private boolean isUnclear;

        Judge(ClusterJudge.Packet packet, CalicoMistake mistake) {
            this.packet = packet;
            this.mistake = mistake;
        }

        @Nullable Boolean stage(Direction direction) {
            String own = direction == Direction.EGRESS ? packet.from() : packet.to();
            String peer = direction == Direction.EGRESS ? packet.to() : packet.from();
            Map<String, Object> pod = podAt(own);
            if (pod == null || own.equals(peer)) {
                return true;
            }
            boolean isHost =
                    peer.equals("10.9.0." + of(pod, "spec", "nodeName").toString().charAt(4));
            if (isHost && direction == Direction.INGRESS) {
                return true;
            }
            Boolean judged = tiers(direction, pod);
            return isHost && judged ? null : judged;
        }

        private boolean tiers(Direction direction, Map<String, Object> pod) {
            List<Map<String, Object>> order =
                    new ArrayList<>(List.of(tiers.get(1), tiers.get(0), tiers.get(2)));
            if (mistake == CalicoMistake.TIERS_REVERSED) {
                order = List.of(tiers.get(2), tiers.get(0), tiers.get(1));
            }
            for (Map<String, Object> tier : order) {
                String verdict = tier(tier, direction, pod);
                if (verdict.equals("Allow") || verdict.equals("Deny")) {
                    return verdict.equals("Allow");
                }
            }
            return true;
        }

        private String tier(
                Map<String, Object> tier, Direction direction, Map<String, Object> pod) {
            boolean selected = false;
            String name = of(tier, "metadata", "name").toString();
            boolean asked = !name.equals("default");
            List<Map<String, Object>> sorted = new ArrayList<>(policies);
            if (mistake != CalicoMistake.ORDER_IGNORED) {
                sorted.sort(Comparator.comparing(each -> (Integer) of(each, "spec", "order")));
            }
            for (Map<String, Object> policy : sorted) {
                boolean late =
                        (Integer) of(policy, "spec", "order") > 1000
                                && mistake != CalicoMistake.NETWORK_POLICIES_LAST;
                if (!asked && late) {
                    asked = true;
                    Boolean allowed = networkPolicies(direction, pod);
                    selected |= allowed != null;
                    if (Boolean.TRUE.equals(allowed)) {
                        return "Allow";
                    }
                }
                Map<String, Object> spec = ClusterJudge.map(policy.get("spec"));
                if (!name.equals(spec.get("tier"))
                        || !selects(policy, spec, pod)
                        || !isOf(spec, direction)) {
                    continue;
                }
                selected = true;
                for (Map<String, Object> rule : ClusterJudge.maps(spec.get(direction.field))) {
                    String action = rule.get("action").toString();
                    boolean counts = !action.equals("Log") || mistake == CalicoMistake.LOG_DENIES;
                    if (counts && fits(rule, policy)) {
                        return mistake == CalicoMistake.PASS_ALLOWS && action.equals("Pass")
                                ? "Allow"
                                : action.equals("Log") ? "Deny" : action;
                    }
                }
            }
            if (!asked) {
                Boolean allowed = networkPolicies(direction, pod);
                selected |= allowed != null;
                if (Boolean.TRUE.equals(allowed)) {
                    return "Allow";
                }
            }
            boolean passes =
                    ClusterJudge.map(tier.get("spec")).containsKey("defaultAction")
                            && mistake != CalicoMistake.TIER_DENIES_IN_SPITE_OF_PASS;
            return !selected || passes || mistake == CalicoMistake.TIER_NEVER_DENIES
                    ? "Pass"
                    : "Deny";
        }

        /** True: one allows; false: one selects the pod; null: none does. */
        private @Nullable Boolean networkPolicies(Direction direction, Map<String, Object> pod) {
            ClusterJudge.Answer answer =
                    new ClusterJudge(apart(), ClusterMistake.NONE)
                            .byPolicies(direction, packet, pod);
            isUnclear |= answer != null && answer.outcome() == Outcome.DEPENDS;
            return answer == null ? null : answer.outcome() == Outcome.PERMIT;
        }

        private boolean isOf(Map<String, Object> spec, Direction direction) {
            boolean egress = spec.containsKey("egress");
            if (spec.containsKey("types")) {
                String type = direction == Direction.EGRESS ? "Egress" : "Ingress";
                return ClusterJudge.list(spec.get("types")).contains(type);
            }
            return direction == Direction.EGRESS
                    ? egress || mistake == CalicoMistake.EGRESS_ALWAYS
                    : spec.containsKey("ingress") || !egress;
        }

        private boolean selects(
                Map<String, Object> policy, Map<String, Object> spec, Map<String, Object> pod) {
            Object own = ClusterJudge.map(policy.get("metadata")).get("namespace");
            String namespace = of(pod, "metadata", "namespace").toString();
            boolean there =
                    own != null
                            ? own.equals(namespace)
                            : !spec.containsKey("namespaceSelector")
                                    || Objects.requireNonNull(
                                                    CalicoTables.NAMESPACES.get(
                                                            spec.get("namespaceSelector")))
                                            .test(namespaceLabels(namespace));
            return there
                    && Objects.requireNonNull(CalicoTables.SELECTORS.get(spec.get("selector")))
                            .test(labels(pod));
        }

        private boolean fits(Map<String, Object> rule, Map<String, Object> policy) {
            boolean isV6 = packet.from().indexOf(':') >= 0;
            if (rule.containsKey("ipVersion")
                    && isV6
                    && mistake != CalicoMistake.IP_VERSION_IGNORED) {
                return false;
            }
            if (rule.containsKey("protocol")) {
                Object name = rule.get("protocol");
                int number = "TCP".equals(name) ? 6 : "ICMP".equals(name) ? 1 : 17;
                if (packet.protocol() != number) {
                    return false;
                }
                boolean typed =
                        rule.containsKey("icmp") && mistake != CalicoMistake.ICMP_TYPE_IGNORED;
                if (typed && packet.port() % 2 == 0) {
                    return false; // the type is 13
                }
            }
            if (rule.containsKey("notProtocol")
                    && packet.protocol() == 17
                    && mistake != CalicoMistake.NOT_PROTOCOL_IGNORED) {
                return false;
            }
            return end(ClusterJudge.map(rule.get("source")), packet.from(), policy)
                    && end(ClusterJudge.map(rule.get("destination")), packet.to(), policy);
        }

        private boolean end(Map<String, Object> end, String address, Map<String, Object> policy) {
            boolean nets =
                    !end.containsKey("nets")
                            || ClusterJudge.list(end.get("nets")).stream()
                                    .anyMatch(net -> AddressedPacket.isIn(address, (String) net));
            if (end.containsKey("notNets") && mistake != CalicoMistake.NOT_NETS_IGNORED) {
                nets &= address.indexOf(':') < 0 && !AddressedPacket.isIn(address, "10.0.0.0/30");
            }
            boolean selected =
                    !end.containsKey("selector")
                            || isSelected(
                                    end.get("selector"),
                                    end.get("namespaceSelector"),
                                    address,
                                    mistake == CalicoMistake.SELECTOR_OF_ALL_NAMESPACES
                                            ? null
                                            : ClusterJudge.map(policy.get("metadata"))
                                                    .get("namespace"));
            if (end.containsKey("notSelector") && mistake != CalicoMistake.NOT_SELECTOR_IGNORED) {
                selected &= !isSelected(end.get("notSelector"), null, address, null);
            }
            boolean ports =
                    !end.containsKey("ports") || isPort(ClusterJudge.list(end.get("ports")));
            if (end.containsKey("notPorts") && mistake != CalicoMistake.NOT_PORTS_IGNORED) {
                ports &= !isPort(ClusterJudge.list(end.get("notPorts")));
            }
            boolean either = mistake == CalicoMistake.NETS_OR_SELECTOR && end.containsKey("nets");
            return ports && (either ? nets || selected : nets && selected);
        }

        private boolean isPort(List<Object> ports) {
            boolean named =
                    ports.contains("web")
                            && mistake != CalicoMistake.NAMED_PORTS_IGNORED
                            && ClusterJudge.portsAt(apart(), packet.to()).stream()
                                    .filter(port -> port.get("name").equals("web"))
                                    .filter(port -> port.get("containerPort").equals(packet.port()))
                                    .anyMatch(
                                            port ->
                                                    port.getOrDefault("protocol", "TCP")
                                                            .equals(
                                                                    packet.protocol() == 6
                                                                            ? "TCP"
                                                                            : "UDP"));
            boolean range = ports.contains("82:83") && packet.port() >= 82 && packet.port() <= 83;
            return named || range || ports.contains(packet.port());
        }

        private boolean isSelected(
                @Nullable Object selector,
                @Nullable Object namespaceSelector,
                String address,
                @Nullable Object namespace) {
            Predicate<Map<String, Object>> asked =
                    Objects.requireNonNull(CalicoTables.SELECTORS.get(selector));
            Map<String, Object> pod = podAt(address);
            if (pod != null
                    && asked.test(labels(pod))
                    && isIn(of(pod, "metadata", "namespace"), namespaceSelector, namespace)) {
                return true;
            }
            for (Map<String, Object> set :
                    mistake == CalicoMistake.SETS_IGNORED ? List.<Map<String, Object>>of() : sets) {
                String net = ClusterJudge.list(of(set, "spec", "nets")).get(0).toString();
                Object of = ClusterJudge.map(set.get("metadata")).get("namespace");
                if (AddressedPacket.isIn(address, net)
                        && asked.test(labels(set))
                        && isIn(of, namespaceSelector, namespace)) {
                    return true;
                }
            }
            return false;
        }

        private boolean isIn(
                @Nullable Object of, @Nullable Object selector, @Nullable Object namespace) {
            return selector == null
                    ? namespace == null || namespace.equals(of)
                    : Objects.requireNonNull(CalicoTables.NAMESPACES.get(selector))
                            .test(of == null ? Map.of() : namespaceLabels(of.toString()));
        }
    }

    private Map<String, Object> namespaceLabels(String name) {
        for (Map<String, Object> each : cluster.objects) {
            if (each.get("kind").equals("Namespace") && of(each, "metadata", "name").equals(name)) {
                Map<String, Object> labels = new HashMap<>(labels(each));
                labels.put("name", name);
                return labels;
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** The objects without pods in the network of their host. */
    private List<Map<String, Object>> apart() {
        return cluster.objects.stream()
                .filter(
                        each ->
                                !each.get("kind").equals("Pod")
                                        || of(each, "spec", "hostNetwork").equals(false))
                .toList();
    }

    private @Nullable Map<String, Object> podAt(String address) {
        for (Map<String, Object> each : apart()) {
            if (each.get("kind").equals("Pod") && ClusterJudge.addresses(each).contains(address)) {
                return each;
            }
        }
        return null;
    }

    private static Map<String, Object> labels(Map<String, Object> object) {
        return ClusterJudge.map(ClusterJudge.map(object.get("metadata")).get("labels"));
    }

    private static Object of(Map<String, Object> object, String key, String inner) {
        return Objects.requireNonNull(ClusterJudge.map(object.get(key)).get(inner));
    }
}
