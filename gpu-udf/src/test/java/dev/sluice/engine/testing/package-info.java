/**
 * The test fixtures that all modules share: {@link dev.sluice.engine.testing.RandomRules} draws
 * rules, updates and headers, {@link dev.sluice.engine.testing.RuleStory} holds them, {@link
 * dev.sluice.engine.testing.SameVerdicts} holds a {@link dev.sluice.engine.testing.Subject} against
 * the oracle, makes a story that fails smaller and keeps it as a {@link
 * dev.sluice.engine.testing.StoryFile}. Tests that do more than to look up name their stories to
 * {@link dev.sluice.engine.testing.DrawnStories}. Seeds come from {@link
 * dev.sluice.schemas.testing.TestSeed}.
 *
 * <p>{@code ./sluice test --story FILE} runs a kept story again, by every algorithm in every form.
 * One that found a bug is kept for good in {@code gpu-udf/src/test/resources/stories}.
 */
package dev.sluice.engine.testing;
