/* There is none in AWS-LC. */
