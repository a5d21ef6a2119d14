package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rules in front of all policies: traffic that no policy blocks, and traffic that none sees. */
final class Exemptions {
    private final StageDraft stage;
    private final Cluster cluster;

    private Exemptions(StageDraft stage, Cluster cluster) {
        this.stage = stage;
        this.cluster = cluster;
    }

    /** Adds the rules of all network plugins but for traffic between a pod and its node. */
    static void add(StageDraft stage, Cluster cluster, Skips skips) {
        skips.addFirst(stage);
        new Exemptions(stage, cluster).add();
        skips.addOfNamespaces(stage);
    }

    private void add() {
        Condition replies =
                new Condition.InState(Set.of(ConnectionState.ESTABLISHED, ConnectionState.RELATED));
        stage.add(permit("packets of connections that were allowed", replies));
        List<Condition> own = new ArrayList<>();
        for (Pod pod : cluster.pods()) {
            for (AddressSet address : pod.hostNetwork() ? List.<AddressSet>of() : pod.each()) {
                own.add(all(address.condition(true), address.condition(false)));
            }
        }
        stage.add(permit("a pod reaches itself", new Condition.Any(own)));
        if (stage.direction == Direction.EGRESS) {
            AddressSet nodes = cluster.allNodeAddresses();
            for (Cluster.Service service : cluster.services()) {
                Condition to = service.condition(nodes);
                if (!to.equals(Condition.NEVER)) {
                    stage.addUnclear(
                            stage.direction.field,
                            service.manifest(),
                            all(
                                    to,
                                    new Condition.Unknown(
                                            "the pod behind " + service.manifest().words())));
                }
            }
            addHostPorts();
        }
    }

    /** Adds that ports of nodes stand for pods, whose policies judge. */
    private void addHostPorts() {
        List<Condition> ports = new ArrayList<>();
        for (Pod pod : cluster.pods()) {
            for (Pod.Port port : pod.hostNetwork() ? List.<Pod.Port>of() : pod.ports()) {
                if (port.hostPort() > 0) {
                    Condition number = port.protocol().to(ValueSet.of(port.hostPort()));
                    ports.add(all(cluster.hostsOf(pod).condition(false), number));
                }
            }
        }
        if (ports.isEmpty()) {
            return;
        }
        Condition unknown =
                all(
                        any(ports.toArray(Condition[]::new)),
                        new Condition.Unknown("the pod behind a hostPort"));
        String text = "a port of a node stands for a pod";
        stage.add(permit(text, unknown));
        stage.add(stage.general(text, unknown, StageDraft.DENY, "deny"));
    }

    /** Adds that a pod and its node reach each other in the direction of the stage. */
    static void addHosts(StageDraft stage, Cluster cluster) {
        Exemptions exemptions = new Exemptions(stage, cluster);
        stage.add(
                exemptions.permit(
                        "a pod and its node reach each other",
                        betweenPodAndHost(cluster, stage.direction)));
    }

    /** Adds that what a pod sends to its node may be denied whatever its policies say. */
    static void addHostsUnclear(StageDraft stage, Cluster cluster, String unknown) {
        stage.add(
                stage.general(
                        "a pod reaches its node",
                        all(
                                betweenPodAndHost(cluster, stage.direction),
                                new Condition.Unknown(unknown)),
                        StageDraft.DENY,
                        "deny"));
    }

    /** The condition that the other end is the node that the pod runs on. */
    static Condition betweenPodAndHost(Cluster cluster, Direction direction) {
        List<Condition> hosts = new ArrayList<>();
        cluster.podsByHost()
                .forEach(
                        (host, pods) ->
                                hosts.add(
                                        all(direction.peer(host), Peers.subject(pods, direction))));
        return new Condition.Any(hosts);
    }

    private PolicyRule permit(String text, Condition condition) {
        return stage.general(text, condition, StageDraft.PERMIT, "allow");
    }
}
