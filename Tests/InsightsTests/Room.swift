// Tests of Insights.
