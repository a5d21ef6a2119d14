package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.job.rules.RuleEdit.Side;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.io.SluiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditLineTest {
    private static final String RULE = "priority=7,tcp,tp_dst=80,actions=output:1";

    private static RuleEdit parse(String line) {
        return EditLine.parse(line, SwitchPorts.NONE);
    }

    @Test
    void rulesAreInTheWordsOfTheirFilesAndNamedByIdLineOrText() {
        RuleEdit.Add add =
                assertInstanceOf(
                        RuleEdit.Add.class,
                        parse("{\"add\": \"%s\", \"before\": -12}".formatted(RULE)));
        assertEquals(7, add.rule().priority());
        assertEquals("output:1", add.rule().action());
        assertEquals(RULE, add.rule().text());
        assertEquals(
                new Position(Side.BEFORE, new RuleEdit.Name("-12", -12, null)), add.position());
        RuleEdit.Remove byId =
                assertInstanceOf(
                        RuleEdit.Remove.class, parse("{\"remove\": \"-9223372036854775808\"}"));
        assertEquals(Long.MIN_VALUE, byId.rule().number());
        RuleEdit.Change change =
                assertInstanceOf(
                        RuleEdit.Change.class,
                        parse(
                                "{\"change\": \"%s\", \"to\": \"@1.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF\"}"
                                        .formatted(RULE)));
        assertEquals(7, change.rule().text().priority());
        assertEquals(0, change.to().priority());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "garbage | not JSON",
                "[1] | not a JSON object",
                "{} | neither 'add' nor 'remove' nor 'change'",
                "{\"add\": 5} | 'add' is not the text of a rule",
                "{\"add\": \"tcp\"} | is of none of the formats",
                "{\"add\": \"\"} | the rule is empty",
                "{\"remove\": 1.5} | is no id, no line and no text",
                "{\"remove\": 99999999999999999999} | is no id, no line and no text",
                "{\"remove\": 1, \"first\": true} | 'first' is no key beside 'remove'",
                "{\"change\": 1} | 'to' is not the text of a rule",
                "{\"add\": \"ip,actions=drop\", \"first\": true, \"last\": true} | two positions",
                "{\"add\": \"ip,actions=drop\", \"under\": 1} | 'under' is no key",
                "{\"remove\": 1} {\"remove\": 2} | not JSON",
            })
    void whatIsWrongIsNamedWithItsRemedy(String line, String message) {
        SluiceException e = assertThrows(SluiceException.class, () -> parse(line));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }
}
