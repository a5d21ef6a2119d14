package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Assumptions as users say them. */
class PolicyOptionsTest {
    @TempDir Path folder;

    private RuleSet rules(String list, PolicyOptions options) throws IOException {
        Path file = folder.resolve("host.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                -A INPUT -p tcp -m tcp --dport 22 -j ACCEPT
                -A INPUT -p udp -m limit --limit 5/sec -j ACCEPT
                COMMIT
                """);
        return PolicyFile.read(Path.of(file + list), options).flat().rules();
    }

    private static PolicyOptions assuming(Assumptions facts) {
        return new PolicyOptions(null, facts, false);
    }

    @Test
    void rulesStateTheOptionsThatMakeTheirAssumption() throws IOException {
        assertEquals("", rules("", PolicyOptions.NONE).assumed());
        assertEquals("--hook INPUT", rules("#INPUT", PolicyOptions.NONE).assumed());
        Assumptions facts = new Assumptions(ConnectionState.NEW, "eth0", "eth1");
        assertEquals(
                "--hook INPUT --assume new --in-interface eth0 --out-interface eth1 --nat"
                        + " --policy-time 2026-11-28T17:00:00Z",
                rules(
                                "",
                                new PolicyOptions(
                                                "INPUT",
                                                facts.at(Instant.parse("2026-11-28T17:00:00Z")),
                                                true)
                                        .translating(true))
                        .assumed());
        assertEquals(
                "--policy-time packet", rules("", PolicyOptions.NONE.ofCaptures(true)).assumed());
    }

    /** A topic is told of no answer again when the assumption changes. */
    @Test
    void anotherAssumptionChangesTheRuleThatStatesItAlone() throws IOException {
        RuleSet one = rules("#INPUT", assuming(new Assumptions(ConnectionState.NEW, null, null)));
        RuleSet other =
                rules("#INPUT", assuming(new Assumptions(ConnectionState.ESTABLISHED, null, null)));
        List<Rule> changed =
                other.rules().stream().filter(rule -> !one.rules().contains(rule)).toList();
        assertEquals(
                List.of("--hook INPUT --assume established"),
                changed.stream().map(Rule::action).toList());
        assertEquals(
                List.of("--hook INPUT --assume new"),
                one.rules().stream()
                        .filter(rule -> rule.id() == changed.get(0).id())
                        .map(Rule::action)
                        .toList());
    }
}
