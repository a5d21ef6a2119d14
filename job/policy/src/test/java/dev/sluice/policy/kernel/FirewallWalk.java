package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Chain;
import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.Target;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Slow second opinion on a {@link GeneratedFirewall}: walks its chains as the manual tells.
 *
 * <p>It checks the harness until importers stand beside it, and carries the mutants that packets
 * must catch.
 */
final class FirewallWalk implements PacketJudge {
    private enum End {
        ACCEPT,
        DROP,
        /** The chain ended, or returned. */
        RETURN
    }

    private final GeneratedFirewall firewall;
    private final boolean tracks;

    FirewallWalk(GeneratedFirewall firewall) {
        this.firewall = firewall;
        this.tracks = firewall.tracks();
    }

    @Override
    public Judgement judge(ProbePacket asked) {
        KernelAnswer answer = answer(asked);
        return new Judgement(answer.passed(), answer.decisions());
    }

    /** Returns what the kernel should tell of a packet, with each rule that matches. */
    KernelAnswer answer(ProbePacket asked) {
        List<Step> steps = new ArrayList<>();
        ProbePacket packet = asked.copy();
        boolean fragment = packet.number(ProbeField.FRAGMENT) == 1;
        if (tracks && fragment) {
            return new KernelAnswer(false, steps); // waits for the others before the first chain
        }
        if (packet.hook() == ProbeHook.OUTPUT) {
            packet.set(ProbeField.PACKET_TYPE, 0);
        }
        boolean routed = false;
        for (String place : packet.hook().baseChains()) {
            String name = place.substring(place.indexOf('/') + 1);
            if (!name.equals("PREROUTING") && packet.hook() != ProbeHook.OUTPUT && !routed) {
                if (!isRouted(packet)) {
                    return new KernelAnswer(false, steps);
                }
                routed = true;
            }
            String tableName = place.substring(0, place.indexOf('/'));
            if (!tableName.equals("raw")) {
                ConnectionStates.track(packet);
            }
            for (Table table : firewall.tables()) {
                if (table.name().equals(tableName)
                        && !passes(table, table.chain(name), packet, steps)) {
                    return new KernelAnswer(false, steps);
                }
            }
        }
        return new KernelAnswer(true, steps);
    }

    /** Does what lies between PREROUTING and the next chain. */
    private static boolean isRouted(ProbePacket packet) {
        if (packet.hook() == ProbeHook.INPUT) {
            // A fragment for this host is reassembled first; in IPv6 behind INPUT.
            return packet.version() == 6 || packet.number(ProbeField.FRAGMENT) == 0;
        }
        int ttl = packet.number(ProbeField.TTL);
        packet.set(ProbeField.TTL, Math.max(0, ttl - 1));
        return ttl > 1 && packet.number(ProbeField.PACKET_TYPE) == 0;
    }

    private static boolean passes(Table table, Chain base, ProbePacket packet, List<Step> steps) {
        ProbePacket seen = packet.copy();
        boolean sent = packet.hook() == ProbeHook.OUTPUT;
        boolean routed = !base.name().equals("PREROUTING") && packet.hook() != ProbeHook.INPUT;
        if (sent) {
            seen.set(ProbeField.IN, ProbeField.NO_DEVICE);
        }
        if (!routed) {
            seen.set(ProbeField.OUT, ProbeField.NO_DEVICE);
        }
        End end = walk(table, base, seen, steps);
        if (end == End.RETURN) {
            steps.add(new Step(table.name(), base.name(), 0));
            end = base.policy().equals("ACCEPT") ? End.ACCEPT : End.DROP;
        }
        packet.set(ProbeField.MARK, seen.get(ProbeField.MARK));
        packet.set(ProbeField.STATE, seen.get(ProbeField.STATE));
        return end == End.ACCEPT;
    }

    private static End walk(Table table, Chain chain, ProbePacket packet, List<Step> steps) {
        for (int i = 0; i < chain.rules().size(); i++) {
            Rule rule = chain.rules().get(i);
            if (!rule.holds(packet)) {
                continue;
            }
            Target target = rule.target();
            steps.add(new Step(table.name(), chain.name(), i + 1));
            switch (target.kind()) {
                case ACCEPT, DROP, REJECT -> {
                    return target.kind() == TargetKind.ACCEPT ? End.ACCEPT : End.DROP;
                }
                case NOTRACK -> packet.set(ProbeField.STATE, ConnectionStates.UNTRACKED);
                case RETURN -> {
                    return End.RETURN;
                }
                case JUMP -> {
                    End end = walk(table, table.chain(target.chain()), packet, steps);
                    if (end != End.RETURN) {
                        return end;
                    }
                }
                case GOTO -> {
                    return walk(table, table.chain(target.chain()), packet, steps);
                }
                case MARK -> {
                    int mark = (packet.number(ProbeField.MARK) & ~target.mask()) ^ target.mark();
                    packet.set(ProbeField.MARK, mark);
                }
                case LOG, NONE -> {}
            }
        }
        if (!chain.isBase()) {
            steps.add(new Step(table.name(), chain.name(), 0));
        }
        return End.RETURN;
    }
}
