package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.kubernetes.ClusterMistake.*;

import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Slow judge of packets in a {@link RandomCluster}: asks pod by pod and policy by policy what
 * Kubernetes' API documents, on the trees themselves.
 */
final class ClusterJudge {
    private static final Map<Integer, String> PROTOCOLS = Map.of(6, "TCP", 17, "UDP", 132, "SCTP");

    private final List<Map<String, Object>> objects;
    private final ClusterMistake mistake;

    /** Packet of a connection that may have seen packets both ways. */
    record Packet(String from, String to, int protocol, int port, boolean reply) {}

    /**
     * Answer.
     *
     * @param rule tree that decides, a rule or a policy; null: none
     */
    record Answer(Outcome outcome, @Nullable Object rule) {}

    private enum Fit {
        NO,
        MAYBE,
        YES
    }

    ClusterJudge(List<Map<String, Object>> objects, ClusterMistake mistake) {
        this.objects = objects;
        this.mistake = mistake;
    }

    Answer judge(Packet packet) {
        if (packet.reply && mistake != REPLIES_ARE_JUDGED) {
            return new Answer(Outcome.PERMIT, null);
        }
        Answer egress = stage(Direction.EGRESS, packet);
        Answer ingress = stage(Direction.INGRESS, packet);
        if (mistake == INGRESS_ALONE || mistake == EGRESS_ALONE) {
            return mistake == INGRESS_ALONE ? ingress : egress;
        }
        if (egress.outcome == Outcome.DENY) {
            return egress;
        }
        if (ingress.outcome == Outcome.DENY) {
            return egress.outcome == Outcome.DEPENDS ? new Answer(Outcome.DENY, null) : ingress;
        }
        return egress.outcome == Outcome.DEPENDS ? egress : ingress;
    }

    private Answer stage(Direction direction, Packet packet) {
        boolean out = direction == Direction.EGRESS;
        String own = out ? packet.from : packet.to;
        String peer = out ? packet.to : packet.from;
        Answer none = new Answer(Outcome.PERMIT, null);
        Map<String, Object> pod = null;
        for (Map<String, Object> each : ofKind("Pod")) {
            if (addresses(each).contains(own)) {
                boolean judged = !inHost(each) || mistake == HOSTS_PODS_ARE_PODS;
                if (judged) {
                    pod = each;
                } else if (policies(each, direction).size() > 0) {
                    return new Answer(Outcome.DEPENDS, null);
                }
            }
        }
        if (pod == null || own.equals(peer) && mistake != SELF_IS_JUDGED) {
            return none;
        }
        String host = "10.9.0." + at(pod, "spec", "nodeName").toString().substring(4);
        if (peer.equals(host) && mistake != NODE_IS_JUDGED) {
            return none;
        }
        List<Map<String, Object>> selecting = policies(pod, direction);
        List<Map<String, Object>> admin = admin(pod, direction, "AdminNetworkPolicy");
        List<Map<String, Object>> baseline = admin(pod, direction, "BaselineAdminNetworkPolicy");
        if (!PROTOCOLS.containsKey(packet.protocol)) {
            boolean judged = !selecting.isEmpty() || !admin.isEmpty() || !baseline.isEmpty();
            return new Answer(
                    !judged
                            ? Outcome.PERMIT
                            : mistake == OTHER_PROTOCOLS_ARE_DENIED
                                    ? Outcome.DENY
                                    : Outcome.DEPENDS,
                    null);
        }
        admin.sort(
                Comparator.comparing(
                        each ->
                                (mistake == PRIORITY_REVERSED ? -1 : 1)
                                        * (Integer) at(each, "spec", "priority")));
        Answer first = byAdmin(admin, direction, packet, pod);
        if (first != null && !(mistake == ADMIN_LAST && !selecting.isEmpty())) {
            return first;
        }
        if (!selecting.isEmpty() && mistake != BASELINE_ALWAYS) {
            return byPolicies(selecting, direction, packet, pod);
        }
        Answer last = byAdmin(baseline, direction, packet, pod);
        return last == null ? none : last;
    }

    private @Nullable Answer byAdmin(
            List<Map<String, Object>> policies,
            Direction direction,
            Packet packet,
            Map<String, Object> pod) {
        for (Map<String, Object> policy : policies) {
            for (Map<String, Object> rule : maps(spec(policy).get(direction.field))) {
                if (fits(rule, policy, direction, packet, pod) == Fit.YES) {
                    String action = rule.get("action").toString();
                    if (action.equals("Pass") && mistake != PASS_ALLOWS) {
                        return null;
                    }
                    return new Answer(action.equals("Deny") ? Outcome.DENY : Outcome.PERMIT, rule);
                }
            }
        }
        return null;
    }

    /** The answer of the NetworkPolicies that select a pod; null: none does. */
    @Nullable Answer byPolicies(Direction direction, Packet packet, Map<String, Object> pod) {
        List<Map<String, Object>> selecting = policies(pod, direction);
        return selecting.isEmpty() ? null : byPolicies(selecting, direction, packet, pod);
    }

    private Answer byPolicies(
            List<Map<String, Object>> policies,
            Direction direction,
            Packet packet,
            Map<String, Object> pod) {
        boolean maybe = false;
        int allowing = 0;
        Answer allows = null;
        for (Map<String, Object> policy : policies) {
            boolean allowed = false;
            for (Map<String, Object> rule : maps(spec(policy).get(direction.field))) {
                Fit fit = fits(rule, policy, direction, packet, pod);
                maybe |= fit == Fit.MAYBE;
                if (fit == Fit.YES) {
                    allowed = true;
                    allows = allows == null ? new Answer(Outcome.PERMIT, rule) : allows;
                }
            }
            allowing += allowed ? 1 : 0;
            if (mistake == FIRST_POLICY_ALONE) {
                break;
            }
        }
        if (mistake == ALL_POLICIES_MUST_ALLOW && allowing < policies.size()) {
            allows = null;
        }
        return allows != null
                ? allows
                : maybe
                        ? new Answer(Outcome.DEPENDS, null)
                        : new Answer(Outcome.DENY, policies.get(0));
    }

    private List<Map<String, Object>> policies(Map<String, Object> pod, Direction direction) {
        List<Map<String, Object>> selecting = new ArrayList<>();
        for (Map<String, Object> each : ofKind("NetworkPolicy")) {
            if (each.get("apiVersion").toString().startsWith("networking")
                    && namespace(each).equals(namespace(pod))
                    && selects(spec(each).get("podSelector"), labels(pod))
                    && isOf(each, direction)) {
                selecting.add(each);
            }
        }
        return selecting;
    }

    private boolean isOf(Map<String, Object> policy, Direction direction) {
        Object types = spec(policy).get("policyTypes");
        boolean hasRules = !maps(spec(policy).get(direction.field)).isEmpty();
        if (types == null || mistake == RULES_MAKE_THE_TYPE) {
            return direction == Direction.INGRESS
                    || mistake == EGRESS_BY_DEFAULT
                    || hasRules && mistake != EGRESS_NEVER_BY_DEFAULT;
        }
        return ((List<?>) types).contains(direction == Direction.INGRESS ? "Ingress" : "Egress");
    }

    private List<Map<String, Object>> admin(
            Map<String, Object> pod, Direction direction, String kind) {
        List<Map<String, Object>> selecting = new ArrayList<>();
        for (Map<String, Object> each : ofKind(kind)) {
            if (isAdminPod(map(spec(each).get("subject")), pod)
                    && !maps(spec(each).get(direction.field)).isEmpty()) {
                selecting.add(each);
            }
        }
        return selecting;
    }

    private boolean isAdminPod(Map<String, Object> selector, Map<String, Object> pod) {
        if (selector.containsKey("namespaces")) {
            return selects(selector.get("namespaces"), namespaceLabels(pod));
        }
        Map<String, Object> pods = map(selector.get("pods"));
        return selects(pods.get("namespaceSelector"), namespaceLabels(pod))
                && selects(pods.get("podSelector"), labels(pod));
    }

    private Fit fits(
            Map<String, Object> rule,
            Map<String, Object> policy,
            Direction direction,
            Packet packet,
            Map<String, Object> pod) {
        List<Map<String, Object>> peers = maps(rule.get(direction.peers));
        boolean any = peers.isEmpty() && mistake != NO_PEERS_ARE_NOBODY;
        List<Map<String, Object>> ports = maps(rule.get("ports"));
        Fit best = Fit.NO;
        for (Map<String, Object> peer : any ? List.of(Map.<String, Object>of()) : peers) {
            Fit end = any ? Fit.YES : end(peer, policy, direction, packet);
            Fit port = ports.isEmpty() && mistake != NO_PORTS_ARE_NONE ? Fit.YES : Fit.NO;
            for (Map<String, Object> each : ports) {
                Fit one = port(each, packet, direction, pod, peer);
                port = one.compareTo(port) > 0 ? one : port;
            }
            Fit both = end.compareTo(port) < 0 ? end : port;
            best = both.compareTo(best) > 0 ? both : best;
        }
        return best;
    }

    private Fit end(
            Map<String, Object> peer,
            Map<String, Object> policy,
            Direction direction,
            Packet packet) {
        String address = direction == Direction.EGRESS ? packet.to : packet.from;
        if (peer.containsKey("ipBlock")) {
            Map<String, Object> block = map(peer.get("ipBlock"));
            boolean in = AddressedPacket.isIn(address, (String) block.get("cidr"));
            for (Object except : list(block.get("except"))) {
                in &= mistake == EXCEPT_IGNORED || !AddressedPacket.isIn(address, (String) except);
            }
            return in && !(mistake == BLOCKS_MISS_PODS && address.startsWith("10.0.0."))
                    ? Fit.YES
                    : Fit.NO;
        }
        if (peer.containsKey("networks")) {
            return AddressedPacket.isIn(address, (String) list(peer.get("networks")).get(0))
                    ? Fit.YES
                    : Fit.NO;
        }
        if (peer.containsKey("nodes")) {
            return ofKind("Node").stream()
                            .filter(node -> selects(peer.get("nodes"), labels(node)))
                            .anyMatch(node -> address.equals("10.9.0." + name(node).charAt(4)))
                    ? Fit.YES
                    : Fit.NO;
        }
        boolean admin = peer.containsKey("namespaces") || peer.containsKey("pods");
        Fit best = Fit.NO;
        for (Map<String, Object> pod : ofKind("Pod")) {
            if (addresses(pod).contains(address)
                    && (admin ? isAdminPod(peer, pod) : isPeer(peer, policy, pod))) {
                Fit one = !inHost(pod) ? Fit.YES : admin ? Fit.NO : Fit.MAYBE;
                one = mistake == HOSTS_PODS_ARE_PODS ? Fit.YES : one;
                best = one.compareTo(best) > 0 ? one : best;
            }
        }
        return best;
    }

    private boolean isPeer(
            Map<String, Object> peer, Map<String, Object> policy, Map<String, Object> pod) {
        boolean byPod =
                !peer.containsKey("podSelector") || selects(peer.get("podSelector"), labels(pod));
        boolean byNamespace =
                peer.containsKey("namespaceSelector")
                        ? selects(peer.get("namespaceSelector"), namespaceLabels(pod))
                        : mistake == PEERS_OF_ALL_NAMESPACES
                                || namespace(pod).equals(namespace(policy));
        return mistake == EITHER_SELECTOR && peer.size() == 2
                ? byPod || byNamespace
                : byPod && byNamespace;
    }

    private Fit port(
            Map<String, Object> port,
            Packet packet,
            Direction direction,
            Map<String, Object> pod,
            Map<String, Object> peer) {
        String protocol = PROTOCOLS.get(packet.protocol);
        if (port.containsKey("portNumber") || port.containsKey("portRange")) {
            boolean one = port.containsKey("portNumber");
            Map<String, Object> ports = map(port.get(one ? "portNumber" : "portRange"));
            int low = (Integer) ports.get(one ? "port" : "start");
            int high = (Integer) ports.get(one ? "port" : "end");
            return ports.get("protocol").equals(protocol)
                            && packet.port >= low
                            && packet.port <= high
                    ? Fit.YES
                    : Fit.NO;
        }
        Object named = port.containsKey("namedPort") ? port.get("namedPort") : port.get("port");
        Object asked = port.getOrDefault("protocol", "TCP");
        boolean ofAny = port.containsKey("namedPort") || mistake == NAMED_PORT_OF_ANY_PROTOCOL;
        if (named instanceof String name) {
            Fit best = Fit.NO;
            for (Map<String, Object> each :
                    direction == Direction.INGRESS ? List.of(pod) : ofKind("Pod")) {
                boolean sure = !inHost(each) && !peer.containsKey("ipBlock");
                for (Map<String, Object> own : ports(each)) {
                    Object of = own.getOrDefault("protocol", "TCP");
                    if (addresses(each).contains(packet.to)
                            && own.get("name").equals(name)
                            && own.get("containerPort").equals(packet.port)
                            && of.equals(protocol)
                            && (ofAny || of.equals(asked))) {
                        boolean yes = sure || direction == Direction.INGRESS;
                        boolean no = inHost(each) && peer.containsKey("ipBlock");
                        Fit one = yes ? Fit.YES : no ? Fit.NO : Fit.MAYBE;
                        best = one.compareTo(best) > 0 ? one : best;
                    }
                }
            }
            return best;
        }
        if (!asked.equals(protocol) && mistake != PROTOCOL_IGNORED) {
            return Fit.NO;
        }
        if (named == null) {
            return Fit.YES;
        }
        int low = (Integer) named;
        int high = mistake == END_PORT_IGNORED ? low : (Integer) port.getOrDefault("endPort", low);
        return packet.port >= low && packet.port <= high ? Fit.YES : Fit.NO;
    }

    boolean selects(@Nullable Object selector, Map<String, Object> labels) {
        boolean all = true;
        for (Map.Entry<String, Object> each : map(map(selector).get("matchLabels")).entrySet()) {
            all &= each.getValue().equals(labels.get(each.getKey()));
        }
        for (Map<String, Object> each : maps(map(selector).get("matchExpressions"))) {
            Object value = labels.get(each.get("key").toString());
            boolean in = value != null && list(each.get("values")).contains(value);
            all &=
                    switch (each.get("operator").toString()) {
                        case "In" -> in;
                        case "NotIn" ->
                                !in && !(mistake == NOT_IN_NEEDS_THE_LABEL && value == null);
                        case "Exists" -> value != null || mistake == EXISTS_IGNORED;
                        default -> value == null;
                    };
        }
        return all;
    }

    private List<Map<String, Object>> ofKind(String kind) {
        return objects.stream().filter(each -> each.get("kind").equals(kind)).toList();
    }

    private Map<String, Object> namespaceLabels(Map<String, Object> pod) {
        return ofKind("Namespace").stream()
                .filter(each -> name(each).equals(namespace(pod)))
                .map(ClusterJudge::labels)
                .findFirst()
                .orElseThrow();
    }

    static List<String> addresses(Map<String, Object> pod) {
        List<String> all = new ArrayList<>();
        all.add(at(pod, "status", "podIP").toString());
        maps(map(pod.get("status")).get("podIPs")).forEach(ip -> all.add("" + ip.get("ip")));
        return all;
    }

    private static boolean inHost(Map<String, Object> pod) {
        return (Boolean) at(pod, "spec", "hostNetwork");
    }

    private static List<Map<String, Object>> ports(Map<String, Object> pod) {
        return maps(maps(at(pod, "spec", "containers")).get(0).get("ports"));
    }

    /** The named ports of the pods at an address. */
    static List<Map<String, Object>> portsAt(List<Map<String, Object>> objects, String address) {
        return objects.stream()
                .filter(each -> each.get("kind").equals("Pod") && addresses(each).contains(address))
                .flatMap(each -> ports(each).stream())
                .toList();
    }

    private static Map<String, Object> spec(Map<String, Object> object) {
        return map(object.get("spec"));
    }

    private static Map<String, Object> labels(Map<String, Object> object) {
        return map(map(object.get("metadata")).get("labels"));
    }

    private static String name(Map<String, Object> object) {
        return at(object, "metadata", "name").toString();
    }

    private static String namespace(Map<String, Object> object) {
        return at(object, "metadata", "namespace").toString();
    }

    private static Object at(Map<String, Object> object, String key, String inner) {
        return Objects.requireNonNull(map(object.get(key)).get(inner));
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(@Nullable Object tree) {
        return tree == null ? Map.of() : (Map<String, Object>) tree;
    }

    static List<Object> list(@Nullable Object tree) {
        return tree == null ? List.of() : List.copyOf((List<?>) tree);
    }

    static List<Map<String, Object>> maps(@Nullable Object tree) {
        return list(tree).stream().map(ClusterJudge::map).toList();
    }
}
