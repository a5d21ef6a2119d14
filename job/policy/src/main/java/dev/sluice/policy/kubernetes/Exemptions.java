package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rules in front of all policies: traffic that no policy blocks, and traffic that none sees. */
final class Exemptions {
    private Exemptions() {}

    static void add(StageDraft stage, Cluster cluster) {
        Condition replies =
                new Condition.InState(Set.of(ConnectionState.ESTABLISHED, ConnectionState.RELATED));
        stage.add(permit(stage, "packets of connections that were allowed", replies));
        List<Condition> own = new ArrayList<>();
        for (Pod pod : cluster.pods()) {
            for (AddressSet address : pod.hostNetwork() ? List.<AddressSet>of() : pod.each()) {
                own.add(all(address.condition(true), address.condition(false)));
            }
        }
        stage.add(permit(stage, "a pod reaches itself", new Condition.Any(own)));
        List<Condition> hosts = new ArrayList<>();
        cluster.podsByHost()
                .forEach(
                        (host, pods) ->
                                hosts.add(
                                        all(
                                                stage.direction.peer(host),
                                                Peers.subject(pods, stage.direction))));
        stage.add(permit(stage, "a pod and its node reach each other", new Condition.Any(hosts)));
        if (stage.direction == Direction.EGRESS) {
            for (Cluster.Service service : cluster.services()) {
                stage.addUnclear(
                        stage.direction.field,
                        service.manifest(),
                        all(
                                service.addresses().condition(false),
                                new Condition.Unknown(
                                        "the pod behind " + service.manifest().words())));
            }
        }
    }

    private static PolicyRule permit(StageDraft stage, String text, Condition condition) {
        return stage.general(text, condition, StageDraft.PERMIT, "allow");
    }
}
