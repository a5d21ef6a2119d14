package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleFinding.Reach;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Witnesses of policies' rules, judged by linear search through the policy's look-ups. */
class WitnessTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "iptables/host.save",
                "firewall/server.save",
                "firewall/server6.save",
                "nft/host.nft",
                "kubernetes/calico.yaml",
                "kubernetes/cilium.yaml",
                "kubernetes/office.yaml"
            })
    void ruleDecidesAboutItsWitness(String name) {
        Path file = TestData.inCheckout("test-data/" + name);
        int judged = 0;
        PolicyFile.Listed listed;
        try (OpenRules text = OpenRules.open(file, null)) {
            listed = PolicyFile.list(text, PolicyOptions.NONE);
        }
        for (Policy policy : listed.asked()) {
            AskedFacts asked = AskedFacts.NONE.and(policy.conditions(), false, null);
            Assumptions assumed =
                    Assumptions.NONE
                            .telling(asked)
                            .meeting(policy.name())
                            .withState(ConnectionState.NEW);
            for (Stage stage : policy.stages()) {
                Policy alone = new Policy(policy.name(), policy.judges(), List.of(stage), null);
                FlatPolicy flat = FlatPolicy.of(alone, assumed);
                StageLint lint = new StageLint(policy, stage, asked);
                List<RuleFinding> findings = lint.findings(assumed);
                for (int owner = 0; owner < findings.size(); owner++) {
                    RuleFinding finding = findings.get(owner);
                    if (finding.reach() != Reach.LIVE || finding.doubtful()) {
                        continue;
                    }
                    Line line = lint.lines().get(owner);
                    FlatPolicy.Answer answer = flat.judge(assertNotNullOf(finding.witness()));
                    assertNotNull(answer, line.toString());
                    if (lint.decides(line)) {
                        String where = line + ": " + answer;
                        assertEquals(line, Line.of(answer.rule()), where);
                        assertTrue(answer.sure(), where);
                        assertNotEquals(Outcome.DEPENDS, answer.outcome(), where);
                        judged++;
                    }
                }
            }
        }
        assertTrue(judged > 2, judged + " witnesses");
    }

    private static int[] assertNotNullOf(int[] header) {
        assertNotNull(header);
        return header;
    }
}
