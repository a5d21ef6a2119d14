package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.flatten.Segment.Act;
import dev.sluice.policy.flatten.Segment.Entry;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Policies that are one list of boxes, of which the first that holds a packet decides. */
public final class FirstMatchList {
    private static final int LATER = Field.FRAGMENT.place(2);

    private FirstMatchList() {}

    /** Packets that a rule decides about, unless a box before holds them. */
    public record Box(Match match, PolicyRule rule) {}

    /**
     * The boxes of a policy; packets that none holds do not come to it.
     *
     * @param wholePackets whether boxes of later fragments, whose outcome nobody knows, are left
     *     out
     * @throws SluiceException naming the rule or stage that no such list says
     */
    public static List<Box> of(Policy policy, Assumptions assumed, boolean wholePackets) {
        PolicyRule first = policy.stages().get(0).end();
        if (policy.stages().size() > 1) {
            throw new SluiceException(
                    "%s: decides in %d stages (%s), and a list has one; convert a dump of iptables-save or ip6tables-save --to iptables or ip6tables"
                            .formatted(
                                    first.origin().file(),
                                    policy.stages().size(),
                                    policy.stages().stream()
                                            .map(Stage::name)
                                            .collect(Collectors.joining(", "))));
        }
        boolean asks = FlatPolicy.asksStates(policy, assumed.tracked());
        if (asks && (assumed.state() == null || policy.untracked() != null)) {
            throw new SluiceException(
                    "%s: asks for the states of connections; say --assume new or --assume established%s"
                            .formatted(
                                    first.origin().file(),
                                    policy.untracked() == null
                                            ? ""
                                            : ", and remove the rules that exempt packets from tracking"));
        }
        Stage stage = policy.stages().get(0);
        Segment segment =
                Segments.of(
                        stage,
                        assumed.state() == null ? tracked(assumed) : assumed,
                        PacketSets.NONE);
        List<Box> boxes = new ArrayList<>();
        for (Entry entry : segment.entries) {
            boolean later =
                    (entry.box().mask(Field.FRAGMENT.word()) & LATER) != 0
                            && (entry.box().value(Field.FRAGMENT.word()) & LATER) != 0;
            if (!later || !wholePackets) {
                requireSayable(entry);
                boxes.add(new Box(entry.box(), entry.rule()));
            }
        }
        if (segment.next != null) {
            Origin of = segment.entries.get(segment.entries.size() - 1).rule().origin();
            throw refusal(of, "leaves its chain in the middle");
        }
        boxes.add(new Box(Boxes.ALL, stage.end()));
        return of(policy.judges(), boxes);
    }

    private static Assumptions tracked(Assumptions assumed) {
        return assumed.withState(ConnectionState.NEW); // nothing asks for it
    }

    private static void requireSayable(Entry entry) {
        PolicyRule unknown = entry.unknown();
        if (unknown != null) {
            boolean later = (entry.box().value(Field.FRAGMENT.word()) & LATER) != 0;
            throw refusal(
                    unknown.origin(),
                    later
                            ? "decides about later fragments by what only the first one holds; leave these fragments out by --whole-packets"
                            : "has a condition that no header tells");
        }
        if (entry.act() != Act.DECIDE) {
            throw refusal(entry.rule().origin(), "calls a chain or leaves one");
        }
    }

    private static SluiceException refusal(Origin of, String why) {
        return new SluiceException(
                "%s:%d: '%s' %s%s"
                        .formatted(
                                of.file(),
                                of.line(),
                                of.text(),
                                why,
                                why.contains("--")
                                        ? ""
                                        : ", which a list of rules cannot say; convert a dump of iptables-save or ip6tables-save --to iptables or ip6tables"));
    }

    private static List<Box> of(Condition judges, List<Box> boxes) {
        List<Alternative> judged =
                new Alternatives(Assumptions.NONE, Vantage.PLAIN, PacketSets.NONE).of(judges);
        List<Box> all = new ArrayList<>();
        for (Box box : boxes) {
            for (Alternative one : judged) {
                Match both = box.match.and(one.box());
                if (both != null) {
                    all.add(new Box(both, box.rule));
                }
            }
        }
        return all;
    }
}
