package dev.sluice.policy.pf;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parser of a rule's words behind its action. Used once. */
final class PfRuleParser {
    private static final Set<String> READ =
            Set.of(
                    "in",
                    "out",
                    "log",
                    "quick",
                    "on",
                    "inet",
                    "inet6",
                    "proto",
                    "all",
                    "from",
                    "to",
                    "flags",
                    "icmp-type",
                    "icmp6-type",
                    "keep",
                    "modulate",
                    "synproxy",
                    "no",
                    "user",
                    "group",
                    "tos",
                    "probability",
                    "tagged",
                    "received-on",
                    "fragment");

    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    private final PfCursor at;
    private final PfHosts hosts;
    private final PfItem item;
    private List<Integer> protocols = List.of();
    private @Nullable Condition flags;
    private boolean stateless;
    private boolean limits;
    private boolean rewrites;
    private @Nullable PfToken ports;
    private @Nullable PfToken icmp;

    PfRuleParser(PfCursor at, PfHosts hosts, PfItem item) {
        this.at = at;
        this.hosts = hosts;
        this.item = item;
    }

    /** Returns whether packets of its connections are not let through by a state. */
    boolean isStateless() {
        return stateless && item.kind == PfItem.Kind.PASS;
    }

    /** Returns whether the number of its connections is limited. */
    boolean limits() {
        return limits;
    }

    /** Returns whether it gives packets other addresses. */
    boolean rewrites() {
        return rewrites;
    }

    /** Reads up to the end of the line, or to the rules of an anchor. */
    void read() throws RuleSyntaxException {
        while (!at.peek().ends() && !at.peek().is("{")) {
            PfToken option = at.next();
            if (!option.is(",")) {
                option(option);
            }
        }
        if (ports != null && !PfMatches.havePorts(protocols)) {
            throw ports.refused("asks for ports; write proto tcp, udp or { tcp udp } before it");
        }
        if (icmp != null && !protocols.contains(1) && !protocols.contains(58)) {
            throw icmp.refused("asks for ICMP; write proto icmp or icmp6 before it");
        }
        if (!protocols.isEmpty()) {
            item.conditions.add(0, PfMatches.protocol(protocols));
        }
        boolean keeps = item.kind == PfItem.Kind.PASS && !stateless;
        Condition asked = flags != null ? flags : keeps ? PfMatches.flags(SYN, SYN | ACK) : null;
        if (asked != null
                && !asked.equals(Condition.ALWAYS)
                && (protocols.isEmpty() || protocols.contains(6))) {
            item.conditions.add(asked);
        }
    }

    private void option(PfToken option) throws RuleSyntaxException {
        switch (option.text()) {
            case "in" -> item.out = false;
            case "out" -> item.in = false;
            case "quick" -> item.quick = true;
            case "log" -> {
                if (at.peek().is("(")) {
                    at.skipArgument();
                }
            }
            case "on" -> {
                if (at.take("!")) {
                    Function<Boolean, Condition> of = PfMatches.interfaces(at);
                    item.on = incoming -> Condition.not(of.apply(incoming));
                } else {
                    item.on = PfMatches.interfaces(at);
                }
            }
            case "inet" -> item.conditions.add(is(Field.IP_VERSION, Field.VERSION_4));
            case "inet6" -> item.conditions.add(is(Field.IP_VERSION, Field.VERSION_6));
            case "proto" -> protocols = PfMatches.protocols(at);
            case "all" -> {} // every packet
            case "from" -> ends(true);
            case "to" -> ends(false);
            case "flags" -> flags = PfMatches.flags(at);
            case "icmp-type", "icmp6-type" -> {
                icmp = option;
                item.conditions.add(PfMatches.icmp(at, option.is("icmp6-type")));
            }
            case "keep", "modulate", "synproxy" -> state();
            case "no" -> {
                PfToken what = at.word("state");
                if (!what.is("state")) {
                    throw what.refused("cannot stand behind no; write no state");
                }
                stateless = true;
            }
            case "user", "group" -> unknown(option, comparison());
            case "tos" -> unknown(option, at.word("a value").text());
            case "probability" -> unknown(option, at.word("a value").text() + here(option));
            case "tagged" -> unknown(option, at.word("a tag").text() + here(option));
            case "received-on" -> received(false);
            case "!" -> negated(option);
            case "fragment" -> item.conditions.add(new Condition.Bits(Field.FRAGMENT, 1, 1));
            case "label" -> item.label = at.word("a label").text();
            case "set" -> {
                if (!at.peek().is("(")) {
                    at.word("an option");
                }
                at.skipArgument();
            }
            default -> other(option);
        }
    }

    private void other(PfToken option) throws RuleSyntaxException {
        String word = option.text();
        if (PfNames.REWRITING.contains(word)) {
            rewrites |= word.matches("(nat|rdr|binat|af)-to");
            if (word.equals("af-to")) {
                at.word("inet or inet6");
                at.take("from");
            }
            at.skipArgument();
            if (at.peek().is("-")) {
                at.next();
                at.skipArgument();
            }
            if (word.equals("af-to") && at.take("to") || at.take("port")) {
                at.skipArgument();
            }
        } else if (PfNames.WITH_ARGUMENT.contains(word)) {
            at.skipArgument();
            if (word.equals("divert-packet")) {
                at.skipArgument();
            }
        } else if (!PfNames.PLAIN.contains(word)) {
            Stream<String> known =
                    Stream.of(READ, PfNames.REWRITING, PfNames.WITH_ARGUMENT, PfNames.PLAIN)
                            .flatMap(Set::stream);
            throw option.refused(
                    "is no option of a rule that Sluice knows; "
                            + NearestWord.of(word, known)
                                    .map(near -> "write " + near)
                                    .orElse("leave it out"));
        }
    }

    private void negated(PfToken option) throws RuleSyntaxException {
        if (at.take("received-on")) {
            received(true);
        } else if (at.take("tagged")) {
            item.conditions.add(
                    Condition.not(
                            new Condition.Unknown(
                                    "tagged " + at.word("a tag").text() + here(option))));
        } else {
            throw option.refused("negates nothing here; write it before an address or interface");
        }
    }

    private void received(boolean negated) throws RuleSyntaxException {
        Condition by = PfMatches.interfaces(at).apply(true);
        item.conditions.add(negated ? Condition.not(by) : by);
    }

    private void state() throws RuleSyntaxException {
        PfToken word = at.word("state");
        if (!word.is("state")) {
            throw word.refused("is no state; write keep state");
        }
        if (!at.peek().is("(")) {
            return;
        }
        int depth = 0;
        do {
            PfToken part = at.word("a closing )");
            depth += part.is("(") ? 1 : part.is(")") ? -1 : 0;
            limits |= part.text().startsWith("max");
        } while (depth > 0);
    }

    private String comparison() throws RuleSyntaxException {
        StringBuilder words = new StringBuilder();
        at.list(
                () -> {
                    PfToken word = at.word("a name");
                    words.append(' ').append(word.text());
                    if (word.text().matches("[=<>!]+")) {
                        words.append(' ').append(at.word("a name").text());
                    } else if (at.peek().text().matches("><|<>")) {
                        words.append(at.next().text()).append(at.word("a name").text());
                    }
                });
        return words.toString().strip();
    }

    /** Words that tell a condition of a rule from an equal one of another rule. */
    private static String here(PfToken option) {
        return " in line " + option.line();
    }

    private void unknown(PfToken option, String value) {
        item.conditions.add(new Condition.Unknown(option.text() + " " + value));
    }

    /** Reads hosts, ports and the system at one end. */
    private void ends(boolean source) throws RuleSyntaxException {
        List<Condition> any = new ArrayList<>();
        if (!at.peek().is("port") && !at.peek().is("os")) {
            at.list(() -> any.add(hosts.host(at, source)));
        }
        List<Condition> both =
                new ArrayList<>(
                        List.of(any.isEmpty() ? Condition.ALWAYS : FirewallRules.anyOf(any)));
        if (at.peek().is("port")) {
            both.add(ports(source));
        }
        if (at.take("os")) {
            List<Condition> systems = new ArrayList<>();
            at.list(() -> systems.add(new Condition.Unknown("os " + at.word("a system").text())));
            both.add(FirewallRules.anyOf(systems));
        }
        Condition all = FirewallRules.allOf(both);
        if (!all.equals(Condition.ALWAYS)) {
            item.conditions.add(all);
        }
    }

    private Condition ports(boolean source) throws RuleSyntaxException {
        ports = at.next();
        ValueSet values = PfMatches.ports(at);
        return new Condition.In(source ? Field.SRC_PORT : Field.DST_PORT, values);
    }
}
